/* A table of thread functions. */
#include <assert.h>
#include <pthread.h>

static int results[2];

static void *add(void *result)
{
	*(int *)result = 3 + 4;
	return NULL;
}

static void *multiply(void *result)
{
	*(int *)result = 3 * 4;
	return NULL;
}

static void *(*const operations[2])(void *) = {add, multiply};

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, operations[i], &results[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(results[0] == 7 && results[1] == 12);
	return 0;
}
