/*
 * treiber(N): a stack as a list whose top is exchanged by compare-exchange. N threads push and pop, OPS times each, with a node
 * of their own each at first; the node that is popped is pushed the next time, so the top counts its changes.
 * Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986.
 * -DBUG: a node is pushed without release.
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

struct node {
	int value;
	/* A number of a node, 0: none. */
	atomic_int below;
};

static struct node nodes[N + 1];
/* The number of the node at the top, and above that a counter. */
static atomic_ulong top;
static long sums[N];

#define NODE(top) ((int)((top)&0xffff))

static _Bool exchange(unsigned long old, int node, memory_order order)
{
	unsigned long new = (old & ~0xffffUL) + 0x10000 + node;

	return atomic_compare_exchange_strong_explicit(&top, &old, new, order, memory_order_relaxed);
}

static void push(int node, int value)
{
	unsigned long old;

	nodes[node].value = value; //~ ERROR[data-race]
	do {
		old = atomic_load_explicit(&top, memory_order_relaxed);
		atomic_store_explicit(&nodes[node].below, NODE(old), memory_order_relaxed);
	} while (!exchange(old, node, PUBLISH));
}

static int pop(void)
{
	unsigned long old;

	do
		old = atomic_load_explicit(&top, memory_order_acquire);
	while (!NODE(old) ||
	       !exchange(old, atomic_load_explicit(&nodes[NODE(old)].below, memory_order_relaxed),
			 memory_order_acquire));
	return NODE(old);
}

static void *work(void *sum)
{
	int node = (long *)sum - sums + 1;
	long mine = 0;

	for (int i = 1; i <= OPS; i++) {
		push(node, i);
		node = pop();
		mine += nodes[node].value; //~ ALSO
	}
	*(long *)sum = mine;
	return NULL;
}

int main(void)
{
	long all = 0;

	RUN(N, work, &sums[i]);
	for (int i = 0; i < N; i++)
		all += sums[i];
	assert(all == (long)N * OPS * (OPS + 1L) / 2);
	return 0;
}
