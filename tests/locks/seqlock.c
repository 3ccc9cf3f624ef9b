/*
 * seqlock(READERS, WRITERS): readers take no lock; they look again if a writer was at work meanwhile. Writers keep each
 * other out by making the sequence number odd.
 * The lock of Linux (Hemminger, 2002), in the C11 form of Boehm, Can Seqlocks Get Along with Programming Language Memory
 * Models?, MSPC 2012.
 * -DBUG: the writer's fence does not release, and a reader may see its data before its odd number.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifdef BUG
#define DATA_AFTER memory_order_acquire
#else
#define DATA_AFTER memory_order_release
#endif

static atomic_int sequence, left, right;

static int begin_writing(void)
{
	int old;

	do
		old = atomic_load_explicit(&sequence, memory_order_relaxed);
	while (old % 2 || !atomic_compare_exchange_strong_explicit(&sequence, &old, old + 1, memory_order_acquire,
								   memory_order_relaxed));
	atomic_thread_fence(DATA_AFTER);
	return old;
}

static void end_writing(int old)
{
	atomic_store_explicit(&sequence, old + 2, memory_order_release);
}

static void *writer(void *unused)
{
	int old = begin_writing();

	/* Nobody else writes meanwhile. */
	assert(atomic_load_explicit(&left, memory_order_relaxed) == old / 2);
	atomic_store_explicit(&left, old / 2 + 1, memory_order_relaxed);
	atomic_store_explicit(&right, old / 2 + 1, memory_order_relaxed);
	end_writing(old);
	return NULL;
}

static void *reader(void *unused)
{
	int before, after, l, r;

	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		l = atomic_load_explicit(&left, memory_order_relaxed);
		r = atomic_load_explicit(&right, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&sequence, memory_order_relaxed);
	} while (before % 2 || before != after);
	assert(l == r); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t threads[READERS + WRITERS];

	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, NULL);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert(left == WRITERS && right == WRITERS);
	return 0;
}
