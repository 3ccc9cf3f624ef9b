/*
 * casw(N): thread i of 1..N tries to move x from 0 to i, and then stores i+3.
 *
 * From [RCMC], table 3. No closed form; the counts are the paper's.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;
static int ids[N];

static void *swap_and_store(void *arg)
{
	int id = *(int *)arg;
	int expected = 0;

	atomic_compare_exchange_strong_explicit(&x, &expected, id, memory_order_relaxed, memory_order_relaxed);
	atomic_store_explicit(&x, id + 3, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		ids[i] = i + 1;
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, swap_and_store, &ids[i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
