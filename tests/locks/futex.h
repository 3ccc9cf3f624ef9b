/*
 * The kernel, as far as a mutex that sleeps needs it: a counter of wake-ups. Who sleeps waits until it changes. It is read
 * before the word, and changed after the word; so no wake-up is lost.
 */
#ifndef FUTEX_H
#define FUTEX_H

#include <stdatomic.h>

static atomic_int wakes;

static void futex_wait(atomic_int *word, int value)
{
	int seen = atomic_load_explicit(&wakes, memory_order_acquire);

	if (atomic_load_explicit(word, memory_order_relaxed) != value)
		return;
	while (atomic_load_explicit(&wakes, memory_order_relaxed) == seen)
		;
}

static void futex_wake(void)
{
	atomic_fetch_add_explicit(&wakes, 1, memory_order_release);
}

#endif
