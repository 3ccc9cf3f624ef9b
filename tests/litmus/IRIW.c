/* IRIW, independent reads of independent writes: can two readers see two stores in opposite orders? */
#include "litmus.h"

static atomic_int x, y;
static int r0, r1, r2, r3;

static void *p0(void *unused)
{
	STORE(x, 1);
	return 0;
}

static void *p1(void *unused)
{
	STORE(y, 1);
	return 0;
}

static void *p2(void *unused)
{
	r0 = LOAD(x);
	FENCE();
	r1 = LOAD(y);
	return 0;
}

static void *p3(void *unused)
{
	r2 = LOAD(y);
	FENCE();
	r3 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1, p2, p3);
	WEAK(r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0); //~ ERROR[assertion]
	return 0;
}
