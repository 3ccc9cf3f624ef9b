/*
 * A bounded queue whose cells have turns (Vyukov): producers and consumers take a position by a weak compare-exchange, in a
 * loop with three ways out and a plain read of the size that nobody writes any more.
 * -DPRODUCERS, -DCONSUMERS: how many.
 * -DBUG: the turn of a cell is published too early.
 */
#include "../locks/threads.h"

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#define SIZE 2

#ifdef BUG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static struct {
	atomic_uint turn;
	int data;
} cells[SIZE];
static unsigned mask;
static atomic_uint tail, head;

static int put(int value)
{
	unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);

	for (;;) {
		unsigned turn = atomic_load_explicit(&cells[at & mask].turn, memory_order_acquire);

		if (turn == at) {
			if (atomic_compare_exchange_weak_explicit(&tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
				break;
		} else if ((int)(turn - at) < 0) {
			return 0;
		} else {
			at = atomic_load_explicit(&tail, memory_order_relaxed);
		}
	}
	cells[at & mask].data = value; //~ ERROR[data-race]
	atomic_store_explicit(&cells[at & mask].turn, at + 1, PUBLISH);
	return 1;
}

static int take(int *value)
{
	unsigned at = atomic_load_explicit(&head, memory_order_relaxed);

	for (;;) {
		unsigned turn = atomic_load_explicit(&cells[at & mask].turn, memory_order_acquire);

		if (turn == at + 1) {
			if (atomic_compare_exchange_weak_explicit(&head, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
				break;
		} else if ((int)(turn - at - 1) < 0) {
			return 0;
		} else {
			at = atomic_load_explicit(&head, memory_order_relaxed);
		}
	}
	*value = cells[at & mask].data; //~ ALSO
	atomic_store_explicit(&cells[at & mask].turn, at + mask + 1, PUBLISH);
	return 1;
}

static void *produce(void *unused)
{
	assert(put(7));
	return NULL;
}

static void *consume(void *unused)
{
	int value;

	if (take(&value))
		assert(value == 7);
	return NULL;
}

int main(void)
{
	mask = SIZE - 1;
	for (unsigned i = 0; i < SIZE; i++)
		atomic_init(&cells[i].turn, i);
	RUN(PRODUCERS + CONSUMERS, i < PRODUCERS ? produce : consume, NULL);
	return 0;
}
