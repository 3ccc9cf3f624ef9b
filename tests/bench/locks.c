/*
 * locks(N, TIMES): N threads take and release a mutex, TIMES times each.
 *
 * Executions: the orders of the critical sections, (N * TIMES)! / TIMES!^N. No thread is ever seen to find the mutex
 * taken.
 */
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef TIMES
#define TIMES 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return counter != N * TIMES;
}
