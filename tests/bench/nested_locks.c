/*
 * nested_locks(N): N threads take two mutexes in the same order.
 *
 * Executions: N!, the orders of the outer critical sections. No thread is ever seen to find a mutex taken.
 */
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	counter++;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return counter != N;
}
