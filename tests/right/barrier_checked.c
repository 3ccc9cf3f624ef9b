/* N threads meet ROUNDS times and make sure that the result is no error: it makes no difference which of them is the
 * serial thread, 1 execution. If it counts (COUNT), each of them may be: N^ROUNDS executions. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif

static pthread_barrier_t barrier;
static int values[N], serials[ROUNDS];

static void *run(void *number)
{
	long own = (long)number;

	for (int round = 0; round < ROUNDS; round++) {
		int result;

		values[own] = round;
		result = pthread_barrier_wait(&barrier);
#ifdef ASSERT
		assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
#else
		if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD)
			return (void *)1;
#endif
#ifdef COUNT
		if (result)
			serials[round]++;
#endif
		assert(values[(own + 1) % N] == round);
		result = pthread_barrier_wait(&barrier);
		if (result > 0)
			abort();
	}
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
#ifdef COUNT
	for (int round = 0; round < ROUNDS; round++)
		assert(serials[round] == 1);
#endif
	pthread_barrier_destroy(&barrier);
	return 0;
}
