/*
 * dq(TAKERS): a deque of the numbers from 0 to OPS - 1, as two ends: one thread appends, the others take from the front by
 * compare-exchange until everything is gone. Every number is taken once.
 * -DBUG: a taker looks at the front without an exchange.
 */
#include "../locks/threads.h"

#ifndef TAKERS
#define TAKERS 2
#endif
#ifndef OPS
#define OPS 2
#endif

static atomic_int front, back;
static int taken[TAKERS];

static void *append(void *unused)
{
	for (int i = 1; i <= OPS; i++)
		atomic_store_explicit(&back, i, memory_order_release);
	return NULL;
}

static _Bool advance(int from)
{
#ifdef BUG
	atomic_store_explicit(&front, from + 1, memory_order_release);
	return 1;
#else
	return atomic_compare_exchange_strong_explicit(&front, &from, from + 1, memory_order_acq_rel,
						       memory_order_relaxed);
#endif
}

static void *take(void *mine)
{
	int count = 0, first;

	do {
		first = atomic_load_explicit(&front, memory_order_acquire);
		if (first < atomic_load_explicit(&back, memory_order_acquire))
			count += advance(first);
	} while (first < OPS);
	*(int *)mine = count;
	return NULL;
}

int main(void)
{
	int all = 0;

	RUN(TAKERS + 1, i < TAKERS ? take : append, i < TAKERS ? &taken[i] : NULL);
	for (int i = 0; i < TAKERS; i++)
		all += taken[i];
	assert(all == OPS); //~ ERROR[assertion]
	return 0;
}
