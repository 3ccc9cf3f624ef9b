/*
 * A consumer that takes from a ring until something is there. Each attempt reads `head`, which is the consumer's own, and
 * `mask`, which is never written once there are threads: plain reads that no other thread writes meanwhile.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static struct ring {
	unsigned mask;
	unsigned head;
	atomic_uint tail;
	int slot[4];
} ring;

static int take(struct ring *from, int *value)
{
	unsigned head = from->head;

	if (head == atomic_load_explicit(&from->tail, memory_order_acquire))
		return 0;
	*value = from->slot[head & from->mask]; //~ ERROR[data-race]
	from->head = head + 1;
	return 1;
}

static void *produce(void *unused)
{
	for (unsigned i = 0; i < N; i++) {
		ring.slot[i & ring.mask] = 7; //~ ERROR[data-race]
#ifdef EARLY
		atomic_store_explicit(&ring.tail, i + 1, memory_order_relaxed);
#else
		atomic_store_explicit(&ring.tail, i + 1, memory_order_release);
#endif
	}
	return NULL;
}

static void *consume(void *unused)
{
	for (int i = 0; i < N; i++) {
		int value;

		while (!take(&ring, &value))
			;
		assert(value == 7);
	}
	return NULL;
}

int main(void)
{
	pthread_t producer, consumer;

	ring.mask = 3;
	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	return 0;
}
