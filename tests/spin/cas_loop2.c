/*
 * CAS-LOOP2 of [SAVER], section IV: the same as CAS-LOOP, with a flag that is live at the head of the loop. Rotation
 * puts the test behind the compare-exchange.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *increment(void *unused)
{
	bool success = false;

	while (!success) {
		int a = atomic_load_explicit(&x, memory_order_relaxed);
		success = atomic_compare_exchange_strong_explicit(&x, &a, a + 1, memory_order_relaxed,
								  memory_order_relaxed);
	}
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
