/*
 * buf_ring(PRODUCERS, CONSUMERS): a ring of SIZE slots with two positions at each end: a slot is reserved by moving the head, and
 * handed over by moving the tail, in the order of reservations. Values go through it, OPS from each producer.
 * The ring of FreeBSD (Macy, 2007), with positions that are never taken modulo SIZE.
 * -DBUG: a slot is filled without release.
 */
#include "../locks/threads.h"

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef OPS
#define OPS 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifdef BUG
#define FILLED memory_order_relaxed
#else
#define FILLED memory_order_release
#endif

struct end {
	atomic_int head, tail;
};

static struct end in, out;
static int slots[SIZE];
static unsigned sums[CONSUMERS];

/* A position of this end, for us alone, that the tail of the other one has come within `limit` of. */
static int reserve(struct end *here, struct end *there, int limit)
{
	int mine;

	do
		mine = atomic_load_explicit(&here->head, memory_order_relaxed);
	while (mine - atomic_load_explicit(&there->tail, memory_order_acquire) >= limit ||
	       !atomic_compare_exchange_strong_explicit(&here->head, &mine, mine + 1, memory_order_relaxed,
							memory_order_relaxed));
	return mine;
}

/* Those who reserved before us come first. */
static void hand_over(struct end *here, int mine, memory_order order)
{
	while (atomic_load_explicit(&here->tail, memory_order_acquire) != mine)
		;
	atomic_store_explicit(&here->tail, mine + 1, order);
}

static void *produce(void *unused)
{
	for (int i = 1; i <= OPS; i++) {
		int position = reserve(&in, &out, SIZE);

		slots[position % SIZE] = i; //~ ERROR[data-race]
		hand_over(&in, position, FILLED);
	}
	return NULL;
}

static void *consume(void *mine)
{
	unsigned sum = 0;

	for (int i = 0; i < OPS * PRODUCERS / CONSUMERS; i++) {
		int position = reserve(&out, &in, 0);

		sum += (unsigned)slots[position % SIZE]; //~ ALSO
		hand_over(&out, position, memory_order_release);
	}
	*(unsigned *)mine = sum;
	return NULL;
}

int main(void)
{
	unsigned all = 0, wanted = 0;

	RUN(PRODUCERS + CONSUMERS, i < CONSUMERS ? consume : produce, i < CONSUMERS ? &sums[i] : NULL);
	for (int i = 0; i < CONSUMERS; i++)
		all += sums[i];
	for (int i = 1; i <= OPS; i++)
		wanted += PRODUCERS * (unsigned)i;
	assert(all == wanted);
	return 0;
}
