/* Loops, goto, do-while, the comma and the conditional operator: all in private memory. */
#include <assert.h>
#include <pthread.h>

static int results[2];

static void *collatz(void *result)
{
	unsigned n = 27;
	int steps = 0;

	do {
		n = n % 2 ? 3 * n + 1 : n / 2;
		if (++steps > 1000)
			goto out;
	} while (n != 1);
out:
	*(int *)result = steps;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, collatz, &results[0]);
	pthread_create(&b, NULL, collatz, &results[1]);
	pthread_join(a, NULL), pthread_join(b, NULL);
	assert(results[0] == 111 && results[1] == 111);
	return 0;
}
