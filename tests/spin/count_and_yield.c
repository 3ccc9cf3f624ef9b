/*
 * A lock whose waiters count their attempts, and pause longer and longer: what they count makes no difference.
 * -DHOW=1: they yield after many attempts; 2: and begin to count anew; 3: they pause twice as long each time; 4: in a loop
 * that is left when it is free.
 * -DBUG: after many attempts they take it for taken.
 */
#include "../locks/threads.h"
#include <sched.h>

#ifndef N
#define N 3
#endif
#ifndef HOW
#define HOW 1
#endif

static atomic_int word;
static int count;

static int try(void)
{
	int free = 0;

	return atomic_compare_exchange_strong_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed);
}

static void lock(void)
{
	unsigned attempts = 0;

#if HOW == 1
	while (!try())
		if (++attempts > 1000)
#ifdef BUG
			return;
#else
			sched_yield();
#endif
#elif HOW == 2
	while (!try())
		if (++attempts > 1000) {
			sched_yield();
			attempts = 0;
		}
#elif HOW == 3
	unsigned delay = 1;

	while (!try()) {
		for (unsigned i = 0; i < delay; i++)
			sched_yield();
		if (delay < 64)
			delay *= 2;
	}
	(void)attempts;
#else
	for (;;) {
		if (!atomic_load_explicit(&word, memory_order_relaxed) && try())
			break;
		if (attempts < 10)
			for (unsigned i = 0; i != attempts; i++)
				sched_yield();
		else
			sched_yield();
		attempts++;
	}
#endif
}

static void *work(void *unused)
{
	lock();
	count++; //~ ERROR[data-race]
	atomic_store_explicit(&word, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	RUN(N, work, NULL);
	assert(count == N);
	return 0;
}
