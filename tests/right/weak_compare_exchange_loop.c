/* Loops that merely try again: a spurious failure makes no difference and is not explored. The increments come in 3! orders,
 * and the load of the round that succeeds reads what the compare-exchange does: 6 executions. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
	int old;

	do {
		old = atomic_load_explicit(&counter, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_relaxed,
							memory_order_relaxed));
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 3);
	return 0;
}
