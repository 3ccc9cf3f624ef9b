/* The second round of writes does not wait for the reads of the first. */
#include <pthread.h>

static pthread_barrier_t barrier;
static int values[2];

static void *run(void *number)
{
	long own = (long)number;

	for (int round = 1; round <= 2; round++) {
		values[own] = round; //~ ERROR[data-race]
		pthread_barrier_wait(&barrier);
		if (values[1 - own] != round) //~ ALSO
			return NULL;
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, run, (void *)0);
	pthread_create(&b, NULL, run, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
