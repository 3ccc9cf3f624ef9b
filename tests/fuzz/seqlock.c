/*
 * seqlock(READERS, WRITERS): tests/locks/seqlock.c, OPS times for each thread.
 * Boehm, Can Seqlocks Get Along with Programming Language Memory Models?, MSPC 2012.
 * -DBUG: the writer's fence does not release, and a reader may see its data before its odd number.
 */
#include "../locks/threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define DATA_AFTER memory_order_acquire
#else
#define DATA_AFTER memory_order_release
#endif

static atomic_int sequence, left, right;

static void *writer(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		int old;

		do
			old = atomic_load_explicit(&sequence, memory_order_relaxed);
		while (old % 2 ||
		       !atomic_compare_exchange_strong_explicit(&sequence, &old, old + 1, memory_order_acquire,
								memory_order_relaxed));
		atomic_thread_fence(DATA_AFTER);
		atomic_store_explicit(&left, old / 2 + 1, memory_order_relaxed);
		atomic_store_explicit(&right, old / 2 + 1, memory_order_relaxed);
		atomic_store_explicit(&sequence, old + 2, memory_order_release);
	}
	return NULL;
}

static void *reader(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		int before, after, l, r;

		do {
			before = atomic_load_explicit(&sequence, memory_order_acquire);
			l = atomic_load_explicit(&left, memory_order_relaxed);
			r = atomic_load_explicit(&right, memory_order_relaxed);
			atomic_thread_fence(memory_order_acquire);
			after = atomic_load_explicit(&sequence, memory_order_relaxed);
		} while (before % 2 || before != after);
		assert(l == r); //~ ERROR[assertion]
	}
	return NULL;
}

int main(void)
{
	RUN(READERS + WRITERS, i < WRITERS ? writer : reader, NULL);
	assert(left == WRITERS * OPS && right == WRITERS * OPS);
	return 0;
}
