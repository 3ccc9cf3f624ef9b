/*
 * qu(N): a queue as a list that begins with a node already taken, with a lock at each end. N threads put and take, OPS times
 * each. A thread that takes keeps the node before, and puts it the next time: no node is ever freed.
 * Michael and Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms, PODC 1996, figure 2.
 * -DBUG: the lock at the end is given back without release.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

struct node {
	int value;
	struct node *_Atomic next;
};

static struct node nodes[N + 1];
static struct node *first, *last;
static atomic_int first_lock, last_lock;
static long sums[N];

static void lock(atomic_int *lock)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		;
}

static void put(struct node *node, int value)
{
	node->value = value;
	atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
	lock(&last_lock);
	atomic_store_explicit(&last->next, node, memory_order_release); //~ ERROR[data-race]
	last = node; //~ ALSO
	atomic_store_explicit(&last_lock, 0, GIVE_BACK);
}

/* The node that was taken before, with the value that is taken now in it. */
static struct node *take(void)
{
	struct node *node, *next;

	lock(&first_lock);
	node = first;
	/* There is one for us: everybody puts before taking. But others may be slow. */
	do
		next = atomic_load_explicit(&node->next, memory_order_acquire);
	while (!next);
	node->value = next->value;
	first = next;
	atomic_store_explicit(&first_lock, 0, memory_order_release);
	return node;
}

static void *work(void *sum)
{
	struct node *node = &nodes[(long *)sum - sums + 1];
	long mine = 0;

	for (int i = 1; i <= OPS; i++) {
		put(node, i);
		node = take();
		mine += node->value;
	}
	*(long *)sum = mine;
	return NULL;
}

int main(void)
{
	long all = 0;

	first = last = &nodes[0];
	RUN(N, work, &sums[i]);
	for (int i = 0; i < N; i++)
		all += sums[i];
	assert(all == (long)N * OPS * (OPS + 1L) / 2);
	return 0;
}
