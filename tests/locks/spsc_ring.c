/*
 * spsc-ring(STAGES): a pipeline of threads, each connected to the next by a ring of SIZE slots that has one producer and
 * one consumer. OPS numbers go through it and must come out in order.
 * The ring without locks: Lamport, Specifying Concurrent Program Modules, TOPLAS 1983.
 * -DBUG: the consumer gives its slot back without release, and the producer overwrites what is still being read.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STAGES
#define STAGES 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef OPS
#define OPS 2
#endif
#ifdef BUG
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

struct ring {
	atomic_int put, taken;
	int slots[SIZE];
};

static struct ring rings[STAGES - 1];

static void put(struct ring *ring, int value)
{
	int position = atomic_load_explicit(&ring->put, memory_order_relaxed);

	while (position - atomic_load_explicit(&ring->taken, memory_order_acquire) == SIZE)
		;
	ring->slots[position % SIZE] = value; //~ ERROR[data-race]
	atomic_store_explicit(&ring->put, position + 1, memory_order_release);
}

static int take(struct ring *ring)
{
	int position = atomic_load_explicit(&ring->taken, memory_order_relaxed);

	while (atomic_load_explicit(&ring->put, memory_order_acquire) == position)
		;
	int value = ring->slots[position % SIZE]; //~ ALSO
	atomic_store_explicit(&ring->taken, position + 1, GIVE_BACK);
	return value;
}

/* A stage without a ring before it counts, one without a ring behind it checks. */
static void *stage(void *ahead)
{
	struct ring *in = ahead;
	struct ring *out = in ? in + 1 : rings;

	for (int i = 0; i < OPS; i++) {
		int value = in ? take(in) : i + 1;

		assert(value == i + 1);
		if (out < rings + STAGES - 1)
			put(out, value);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[STAGES];

	for (int i = 0; i < STAGES; i++)
		pthread_create(&threads[i], NULL, stage, i ? &rings[i - 1] : NULL);
	for (int i = 0; i < STAGES; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
