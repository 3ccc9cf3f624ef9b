/*
 * A thread that replaces a value while another one changes it: even values by one attempt, odd ones by another, both of
 * which find the value that the next round starts with.
 * -DBUG: it is said to find even values only.
 */
#include "../locks/threads.h"

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *change(void *unused)
{
	for (int i = 1; i <= N; i++)
		atomic_store_explicit(&x, i, memory_order_relaxed);
	return NULL;
}

static void *replace(void *unused)
{
	int old = atomic_load_explicit(&x, memory_order_relaxed);

	for (;;) {
		if (old % 2 == 0) {
			if (atomic_compare_exchange_strong_explicit(&x, &old, 100, memory_order_relaxed, memory_order_relaxed))
				break;
		} else if (atomic_compare_exchange_weak_explicit(&x, &old, 101, memory_order_relaxed, memory_order_relaxed)) {
#ifdef BUG
			assert(0); //~ ERROR[assertion]
#endif
			break;
		}
	}
	return NULL;
}

int main(void)
{
	RUN(2, i ? replace : change, NULL);
	assert(x > 0);
	return 0;
}
