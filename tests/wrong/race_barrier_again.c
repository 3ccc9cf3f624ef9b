/* A barrier of two threads is initialised again, for two, but three threads count on it: thread 2 does not wait, so nothing
 * orders its write. */
#include <pthread.h>

static pthread_barrier_t barrier;
static int values[3];

static void *meet(void *number)
{
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void *again(void *number)
{
	long own = (long)number;

	values[own] = 1; //~ ALSO
	if (own < 2)
		pthread_barrier_wait(&barrier);
	if (own == 0)
		return (void *)(long)values[2]; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, meet, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	pthread_barrier_init(&barrier, NULL, 2);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, again, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
