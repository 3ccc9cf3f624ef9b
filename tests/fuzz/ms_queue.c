/*
 * ms_queue(N): a queue as a list that begins with a node already taken. Its end may lag behind by one node; whoever meets
 * that helps. N threads put and take, OPS times each; who takes keeps the node before, and puts it the next time, so
 * all references count their changes.
 * Michael and Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms, PODC 1996, figure 1.
 * -DBUG: a node is appended without release.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

/* The number of a node, 0: none, and above that a counter. */
typedef unsigned long ref;

#define NODE(ref) ((int)((ref)&0xffff))

struct node {
	/* Atomic, as who is too late to take may still look at it. */
	atomic_int value;
	_Atomic ref next;
};

static struct node nodes[N + 2];
static _Atomic ref first, last;
static long sums[N];

static _Bool exchange(_Atomic ref *at, ref old, int node, memory_order order)
{
	ref new = (old & ~0xffffUL) + 0x10000 + node;

	return atomic_compare_exchange_strong_explicit(at, &old, new, order, memory_order_relaxed);
}

static void put(int node, int value)
{
	ref end, next = atomic_load_explicit(&nodes[node].next, memory_order_relaxed);

	atomic_store_explicit(&nodes[node].value, value, memory_order_relaxed);
	atomic_store_explicit(&nodes[node].next, (next & ~0xffffUL) + 0x10000, memory_order_relaxed);
	while (1) {
		end = atomic_load_explicit(&last, memory_order_acquire);
		next = atomic_load_explicit(&nodes[NODE(end)].next, memory_order_acquire);
		if (end != atomic_load_explicit(&last, memory_order_acquire))
			continue;
		if (NODE(next))
			exchange(&last, end, NODE(next), memory_order_release);
		else if (exchange(&nodes[NODE(end)].next, next, node, PUBLISH))
			break;
	}
	exchange(&last, end, node, memory_order_release);
}

/* The node that was taken before; the value that is taken now. */
static int take(int *value)
{
	while (1) {
		ref begin = atomic_load_explicit(&first, memory_order_acquire);
		ref end = atomic_load_explicit(&last, memory_order_acquire);
		ref next = atomic_load_explicit(&nodes[NODE(begin)].next, memory_order_acquire);

		if (begin != atomic_load_explicit(&first, memory_order_acquire) || !NODE(next))
			continue;
		if (NODE(begin) == NODE(end)) {
			exchange(&last, end, NODE(next), memory_order_release);
			continue;
		}
		*value = atomic_load_explicit(&nodes[NODE(next)].value, memory_order_relaxed);
		if (exchange(&first, begin, NODE(next), memory_order_acq_rel))
			return NODE(begin);
	}
}

static void *work(void *sum)
{
	int node = (long *)sum - sums + 2;
	long mine = 0;

	for (int i = 1; i <= OPS; i++) {
		int value;

		put(node, i);
		node = take(&value);
		mine += value;
	}
	*(long *)sum = mine;
	return NULL;
}

int main(void)
{
	long all = 0;

	first = last = 1;
	RUN(N, work, &sums[i]);
	for (int i = 0; i < N; i++)
		all += sums[i];
	assert(all == (long)N * OPS * (OPS + 1L) / 2); //~ ERROR[assertion]
	return 0;
}
