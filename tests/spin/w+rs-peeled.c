/*
 * w+rs-peeled(N) of [SAVER], table II: a thread writes 1 and 2, and N threads wait for 2, each with its first load before
 * the loop: one execution.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writes(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	atomic_store_explicit(&x, 2, memory_order_release);
	return NULL;
}

static void *reads(void *unused)
{
	int b = atomic_load_explicit(&x, memory_order_acquire);

	while (b != 2)
		b = atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t writer, readers[N];

	pthread_create(&writer, NULL, writes, NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&readers[i], NULL, reads, NULL);
	pthread_join(writer, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(readers[i], NULL);
	return 0;
}
