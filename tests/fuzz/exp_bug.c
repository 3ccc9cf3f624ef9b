/*
 * exp_bug(OPS): one thread writes y + 1 to x, another x + 1 to y, OPS times each. Only if they take turns from the
 * first to the last time, x + y is 4 OPS - 1 in the end: of the exponentially many executions, two.
 * -DBUG: that this does not happen is asserted.
 */
#include "../locks/threads.h"

#ifndef OPS
#define OPS 2
#endif
#ifdef BUG
#define LIMIT (4 * OPS - 1)
#else
#define LIMIT (4 * OPS)
#endif

static atomic_int x, y;

static void *raise(void *is_x)
{
	atomic_int *mine = is_x ? &x : &y, *other = is_x ? &y : &x;

	for (int i = 0; i < OPS; i++) {
		int seen = atomic_load_explicit(other, memory_order_acquire);

		atomic_store_explicit(mine, seen + 1, memory_order_release);
	}
	return NULL;
}

static void *look(void *unused)
{
	int seen = atomic_load_explicit(&x, memory_order_acquire);

	assert(seen <= 2 * OPS);
	return NULL;
}

int main(void)
{
	RUN(3, i < 2 ? raise : look, i ? NULL : &x);
	assert(x + y < LIMIT); //~ ERROR[assertion]
	return 0;
}
