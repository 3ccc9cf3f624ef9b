/*
 * mutex(N): a mutex that sleeps. Its word is 0 if it is free, 1 if it is taken, 2 if somebody may sleep.
 * The second mutex of Drepper, Futexes Are Tricky, 2004.
 * -DBUG: the mutex is released without release.
 */
#include "futex.h"

#ifndef N
#define N 2
#endif
#ifdef BUG
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_int word;

static void lock(void)
{
	int old = 0;

	if (atomic_compare_exchange_strong_explicit(&word, &old, 1, memory_order_acquire, memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(&word, 2, memory_order_acquire))
		futex_wait(&word, 2);
}

static void unlock(void)
{
	if (atomic_exchange_explicit(&word, 0, GIVE) == 2)
		futex_wake();
}

#include "mutual_exclusion.h"

static void *work(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		lock();
		counter++; //~ ERROR[data-race]
		unlock();
	}
	return NULL;
}
