/*
 * fib_bench(K): two threads add i and j into each other K times, a third looks at both.
 *
 * From [RCMC], table 5, and SV-COMP. No closed form; the counts are the paper's for RC11, those of GenMC and
 * Nidhugg for SC.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 3
#endif

static atomic_int i = 1, j = 1;

static void *add_to_i(void *unused)
{
	for (int k = 0; k < K; k++) {
		int a = atomic_load_explicit(&i, memory_order_acquire);
		int b = atomic_load_explicit(&j, memory_order_acquire);

		atomic_store_explicit(&i, a + b, memory_order_release);
	}
	return NULL;
}

static void *add_to_j(void *unused)
{
	for (int k = 0; k < K; k++) {
		int a = atomic_load_explicit(&i, memory_order_acquire);
		int b = atomic_load_explicit(&j, memory_order_acquire);

		atomic_store_explicit(&j, a + b, memory_order_release);
	}
	return NULL;
}

static void *look(void *unused)
{
	(void)atomic_load_explicit(&i, memory_order_acquire);
	(void)atomic_load_explicit(&j, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, add_to_i, NULL);
	pthread_create(&threads[1], NULL, add_to_j, NULL);
	pthread_create(&threads[2], NULL, look, NULL);
	for (int k = 0; k < 3; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
