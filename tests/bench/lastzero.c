/*
 * lastzero(N): thread 0 seeks the highest index that holds 0 in an array of N+1 zeros, while thread i of 1..N
 * sets a[i] to a[i-1] + 1. -DREVERSED creates the threads in the opposite order, which must not matter.
 *
 * From [RCMC], table 4, and Abdulla et al., "Optimal dynamic partial order reduction", POPL'14.
 * Executions: 2^(N-2) * (N+3).
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

static atomic_int array[N + 1];
static int ids[N + 1];

static void *seek(void *unused)
{
	int i = N;

	while (atomic_load_explicit(&array[i], memory_order_acquire) != 0)
		i--;
	return NULL;
}

static void *bump(void *arg)
{
	int id = *(int *)arg;
	int left = atomic_load_explicit(&array[id - 1], memory_order_acquire);

	atomic_store_explicit(&array[id], left + 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[N + 1];

	for (int i = 0; i <= N; i++)
		ids[i] = i;
#ifdef REVERSED
	for (int i = N; i > 0; i--)
		pthread_create(&threads[i], NULL, bump, &ids[i]);
	pthread_create(&threads[0], NULL, seek, NULL);
#else
	pthread_create(&threads[0], NULL, seek, NULL);
	for (int i = 1; i <= N; i++)
		pthread_create(&threads[i], NULL, bump, &ids[i]);
#endif
	for (int i = 0; i <= N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
