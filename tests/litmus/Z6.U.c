/*
 * Z6.U, from Lahav et al., "Repairing sequential consistency in C/C++11", PLDI'17, figure 1: C11 as printed forbids
 * the outcome, RC11 allows it, because compiled to Power it happens.
 */
#define VARIANT_FIXED
#include "litmus.h"

static atomic_int x, y;
static int r0, r1, r2;

static void *p0(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	atomic_store_explicit(&y, 1, memory_order_release);
	return 0;
}

static void *p1(void *unused)
{
	r0 = atomic_fetch_add_explicit(&y, 1, memory_order_seq_cst);
	r1 = atomic_load_explicit(&y, memory_order_relaxed);
	return 0;
}

static void *p2(void *unused)
{
	atomic_store_explicit(&y, 3, memory_order_seq_cst);
	r2 = atomic_load_explicit(&x, memory_order_seq_cst);
	return 0;
}

int main(void)
{
	THREADS(p0, p1, p2);
	WEAK(r0 == 1 && r1 == 3 && r2 == 0); //~ ERROR[assertion]
	return 0;
}
