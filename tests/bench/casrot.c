/*
 * casrot(N): thread i of 1..N moves x from i-1 to i with one relaxed compare-exchange.
 *
 * From [RCMC], table 1. Executions: 1 + sum over k in 1..N-1 of k * (k+1)^(N-k-1). When the threads 1..k succeed
 * and thread k+1 does not, it reads one of k other values, and each later thread one of k+1.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int x;
static int ids[N];

static void *rotate(void *arg)
{
	int id = *(int *)arg;
	int expected = id - 1;

	atomic_compare_exchange_strong_explicit(&x, &expected, id, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		ids[i] = i + 1;
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, rotate, &ids[i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
