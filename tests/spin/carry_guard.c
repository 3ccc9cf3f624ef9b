/*
 * N threads take one of PERMITS permits by compare-exchange, and give up when there is none left: the value that a failed
 * attempt has found is looked at before the next one. The failed attempt is as good as the load before the loop.
 * -DSTRONG: that load acquires, a failed attempt does not; so it is not as good, but the next failed attempt is.
 * -DHELPER: the attempt is a function that is called.
 * -DBUG: one permit too many.
 */
#include "../locks/threads.h"

#ifndef N
#define N 3
#endif
#ifndef PERMITS
#define PERMITS 2
#endif
#ifdef STRONG
#define LOOK memory_order_acquire
#else
#define LOOK memory_order_relaxed
#endif
#ifdef BUG
#define NONE_LEFT(left) ((left) + 1 == 0)
#else
#define NONE_LEFT(left) ((left) == 0)
#endif

static atomic_int permits = PERMITS;
static atomic_int taken;

#ifdef HELPER
__attribute__((noinline))
#endif
static int try(int *left)
{
	return atomic_compare_exchange_weak_explicit(&permits, left, *left - 1, memory_order_acq_rel, memory_order_relaxed);
}

static void *take(void *unused)
{
	int left = atomic_load_explicit(&permits, LOOK);

	for (;;) {
		if (NONE_LEFT(left))
			return NULL;
		if (try(&left))
			break;
	}
	atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	RUN(N, take, NULL);
	assert(taken == (N < PERMITS ? N : PERMITS)); //~ ERROR[assertion]
	return 0;
}
