/*
 * A stack of nodes that are numbers, with a count of changes beside the number of the first: as in queues without
 * pointers. N threads push one node each and take one; a failed attempt has found the next word.
 * -DBUG: a node is taken without an attempt.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif

#define NEXT_TAG(word) (((word) & ~0xffu) + 0x100)

static atomic_uint top;
static atomic_uint next[N + 1];
static atomic_int owners[N + 1];

static void push(unsigned node)
{
	unsigned word = atomic_load_explicit(&top, memory_order_relaxed);

	do
		atomic_store_explicit(&next[node], word & 0xff, memory_order_relaxed);
	while (!atomic_compare_exchange_strong_explicit(&top, &word, NEXT_TAG(word) | node, memory_order_release,
	                                                memory_order_relaxed));
}

static unsigned pop(void)
{
	unsigned word = atomic_load_explicit(&top, memory_order_acquire), node;

	for (;;) {
		node = word & 0xff;
		if (!node)
			return 0;
		unsigned after = atomic_load_explicit(&next[node], memory_order_relaxed);
#ifdef BUG
		atomic_store_explicit(&top, NEXT_TAG(word) | after, memory_order_relaxed);
		return node;
#else
		if (atomic_compare_exchange_weak_explicit(&top, &word, NEXT_TAG(word) | after, memory_order_acquire,
		                                          memory_order_acquire))
			return node;
#endif
	}
}

static void *work(void *number)
{
	unsigned node = (unsigned)(long)number + 1;

	push(node);
	node = pop();
	assert(node != 0);
	assert(atomic_fetch_add_explicit(&owners[node], 1, memory_order_relaxed) == 0); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	RUN(N, work, (void *)(long)i);
	return 0;
}
