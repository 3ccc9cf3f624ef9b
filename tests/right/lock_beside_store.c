/*
 * Two threads take a lock by a compare-exchange and give it back by a store; a third one stores to it all the same. So its writes
 * are no chain, and nobody may wait there: that must be so from the start, whichever thread is created first.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static void *lock(void *unused)
{
	int free;

	do
		free = 0;
	while (!atomic_compare_exchange_strong_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed));
	atomic_store_explicit(&word, 0, memory_order_release);
	return NULL;
}

static void *store(void *unused)
{
	atomic_store_explicit(&word, 0, memory_order_relaxed);
	return NULL;
}

#ifndef ORDER
#define ORDER lock, lock, store
#endif

int main(void)
{
	pthread_t threads[3];
	void *(*functions[])(void *) = { ORDER };

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, functions[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
