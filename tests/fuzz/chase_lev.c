/*
 * chase_lev(THIEVES): tests/locks/chase_lev.c with a ring of SIZE slots. The owner puts the numbers from 1 to OPS and takes one
 * after every other one, thieves steal until the owner is done; what all have adds up.
 * Lê, Pop, Cohen and Zappa Nardelli, Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013.
 * -DBUG: the owner's fence is not SC.
 */
#include "../locks/threads.h"

#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef OPS
#define OPS 2
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifdef BUG
#define BEFORE_TOP memory_order_acq_rel
#else
#define BEFORE_TOP memory_order_seq_cst
#endif

static atomic_long top, bottom;
static atomic_int ring[SIZE];
static atomic_int is_done;
static long sums[THIEVES + 1];

static void put(int task)
{
	long end = atomic_load_explicit(&bottom, memory_order_relaxed);

	while (end - atomic_load_explicit(&top, memory_order_acquire) >= SIZE)
		;
	atomic_store_explicit(&ring[end % SIZE], task, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
}

static _Bool advance_top(long begin)
{
	return atomic_compare_exchange_strong_explicit(&top, &begin, begin + 1, memory_order_seq_cst,
						       memory_order_relaxed);
}

static int take(void)
{
	long end = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	long begin;
	int task = 0;

	atomic_store_explicit(&bottom, end, memory_order_relaxed);
	atomic_thread_fence(BEFORE_TOP);
	begin = atomic_load_explicit(&top, memory_order_relaxed);
	if (begin < end)
		return atomic_load_explicit(&ring[end % SIZE], memory_order_relaxed);
	if (begin == end && advance_top(begin))
		task = atomic_load_explicit(&ring[end % SIZE], memory_order_relaxed);
	atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
	return task;
}

static int steal(void)
{
	long begin = atomic_load_explicit(&top, memory_order_acquire), end;
	int task;

	atomic_thread_fence(memory_order_seq_cst);
	end = atomic_load_explicit(&bottom, memory_order_acquire);
	if (begin >= end)
		return 0;
	task = atomic_load_explicit(&ring[begin % SIZE], memory_order_relaxed);
	return advance_top(begin) ? task : 0;
}

static void *thief(void *mine)
{
	long sum = 0;

	while (!atomic_load_explicit(&is_done, memory_order_acquire))
		sum += steal();
	*(long *)mine = sum;
	return NULL;
}

static void *owner(void *mine)
{
	long sum = 0;

	for (int i = 1; i <= OPS; i++) {
		put(i);
		if (i % 2 == 0)
			sum += take();
	}
	atomic_store_explicit(&is_done, 1, memory_order_release);
	*(long *)mine = sum;
	return NULL;
}

int main(void)
{
	long all = 0;

	RUN(THIEVES + 1, i < THIEVES ? thief : owner, &sums[i]);
	for (int i = 0; i <= THIEVES; i++)
		all += sums[i];
	for (long i = top; i < bottom; i++)
		all += ring[i % SIZE];
	assert(all == (long)OPS * (OPS + 1) / 2); //~ ERROR[assertion]
	return 0;
}
