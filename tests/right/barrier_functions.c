/* N threads meet, any number of times: nothing is open, 1 execution. If they look who is the one, each of them may be:
 * N executions. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_barrier_t barrier;
static int values[N], ones;

static void *run(void *number)
{
	long own = (long)number;

	for (int round = 1; round <= 3; round++) {
		values[own] = round;
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < N; i++)
			assert(values[i] == round);
		pthread_barrier_wait(&barrier);
	}
#ifdef LOOK
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		ones++;
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	pthread_barrier_init(&barrier, NULL, N);
	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
#ifdef LOOK
	assert(ones == 1);
#endif
	pthread_barrier_destroy(&barrier);
	return 0;
}
