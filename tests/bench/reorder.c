/*
 * reorder(N): N threads store to a and then to b, N others load a and then b.
 *
 * From SV-COMP (reorder_2, reorder_5), without its assertion, which fails; N = 2 is reorder2 of appendix B.3 of [XMM].
 * Relaxed. Executions: for each order of the stores to a, and of those to b, each reader sees any value of each;
 * N!^2 * (N + 1)^(2 N).
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int a, b;

static void *set(void *unused)
{
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, -1, memory_order_relaxed);
	return NULL;
}

static void *check(void *unused)
{
	(void)atomic_load_explicit(&a, memory_order_relaxed);
	(void)atomic_load_explicit(&b, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[2 * N];

	for (int i = 0; i < 2 * N; i++)
		pthread_create(&threads[i], NULL, i < N ? set : check, NULL);
	for (int i = 0; i < 2 * N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
