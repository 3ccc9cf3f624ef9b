/*
 * ws+r-peeled(N) of [SAVER], table II: one thread writes 1 to N in turn, another waits for N with its first load before
 * the loop. Only one combination of values ends the loop: one execution.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writes(void *unused)
{
	for (int i = 1; i <= N; i++)
		atomic_store_explicit(&x, i, memory_order_release);
	return NULL;
}

static void *reads(void *unused)
{
	int b = atomic_load_explicit(&x, memory_order_acquire);

	while (b != N)
		b = atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writes, NULL);
	pthread_create(&b, NULL, reads, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
