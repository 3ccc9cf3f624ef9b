/* A barrier of two threads is destroyed and initialised again for three: by main, for other threads; or (SAME) by one of the
 * threads themselves, while another barrier holds the others. Nothing is open: 1 execution. If the threads look at the results
 * (LOOK), each of those that meet may be the serial thread: 2 * 3 executions. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier, around;
static int values[3], ones;

static void meet(void)
{
#ifdef LOOK
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		ones++;
#else
	pthread_barrier_wait(&barrier);
#endif
}

static void *two(void *number)
{
	long own = (long)number;

	values[own] = 1;
	meet();
	assert(values[1 - own] == 1);
	return NULL;
}

static void *three(void *number)
{
	long own = (long)number;

	values[own] = 2;
	meet();
	for (int i = 0; i < 3; i++)
		assert(values[i] == 2);
	return NULL;
}

static void *both(void *number)
{
	long own = (long)number;

	if (own < 2)
		two(number);
	pthread_barrier_wait(&around);
	if (own == 0) {
		pthread_barrier_destroy(&barrier);
		pthread_barrier_init(&barrier, NULL, 3);
	}
	pthread_barrier_wait(&around);
	return three(number);
}

int main(void)
{
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 2);
#ifdef SAME
	pthread_barrier_init(&around, NULL, 3);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, both, (void *)i);
#else
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, two, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	pthread_barrier_init(&barrier, NULL, 3);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, three, (void *)i);
#endif
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
#ifdef LOOK
	assert(ones == 2);
#endif
	return 0;
}
