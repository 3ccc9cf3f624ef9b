/*
 * LB, load buffering: can both loads see the store that comes after the other one? Never, where po and rf
 * have no cycle.
 */
#include "litmus.h"

static atomic_int x, y;
static int r0, r1;

static void *p0(void *unused)
{
	r0 = LOAD(x);
	FENCE();
	STORE(y, 1);
	return 0;
}

static void *p1(void *unused)
{
	r1 = LOAD(y);
	FENCE();
	STORE(x, 1);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(r0 == 1 && r1 == 1); //~ ERROR[assertion]
	return 0;
}
