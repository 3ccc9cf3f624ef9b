/*
 * readers(N): one thread stores to x with release, N threads load it with acquire.
 *
 * From [RCMC], table 1. Executions: 2^N, since every reader sees the old value or the new one.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writer(void *unused)
{
	atomic_store_explicit(&x, 42, memory_order_release);
	return NULL;
}

static void *reader(void *unused)
{
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t first, others[N];

	pthread_create(&first, NULL, writer, NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&others[i], NULL, reader, NULL);
	pthread_join(first, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(others[i], NULL);
	return 0;
}
