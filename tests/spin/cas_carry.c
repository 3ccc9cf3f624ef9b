/*
 * N threads increment by compare-exchange, and an attempt that fails has found what the next one expects. That is as good
 * as a load, and the executions are those of cas_loop.
 * -DSTRONG: the first load acquires, a failed attempt does not; so it is not as good.
 */
#include "../locks/threads.h"

#ifndef N
#define N 3
#endif
#ifdef STRONG
#define LOOK memory_order_acquire
#else
#define LOOK memory_order_relaxed
#endif

static struct {
	int other;
	atomic_int count;
} x;

static void increment(atomic_int *count)
{
	int old = atomic_load_explicit(count, LOOK);

	while (!atomic_compare_exchange_weak_explicit(count, &old, old + 1, memory_order_relaxed, memory_order_relaxed))
		;
}

static void *work(void *unused)
{
	increment(&x.count);
	return NULL;
}

int main(void)
{
	RUN(N, work, NULL);
	assert(x.count == N);
	return 0;
}
