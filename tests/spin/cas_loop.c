/*
 * CAS-LOOP of [SAVER], section III: N threads increment by compare-exchange. A round that fails has no effect.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *increment(void *unused)
{
	int a;

	do {
		a = atomic_load_explicit(&x, memory_order_relaxed);
	} while (!atomic_compare_exchange_strong_explicit(&x, &a, a + 1, memory_order_relaxed, memory_order_relaxed));
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, increment, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(x == N);
	return 0;
}
