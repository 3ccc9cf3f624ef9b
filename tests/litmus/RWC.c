/* RWC, read to write causality: can a thread miss a store that another one saw before it missed this thread's? */
#include "litmus.h"

static atomic_int x, y;
static int r0, r1, r2;

static void *p0(void *unused)
{
	STORE(x, 1);
	return 0;
}

static void *p1(void *unused)
{
	r0 = LOAD(x);
	FENCE();
	r1 = LOAD(y);
	return 0;
}

static void *p2(void *unused)
{
	STORE(y, 1);
	FENCE();
	r2 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1, p2);
	WEAK(r0 == 1 && r1 == 0 && r2 == 0); //~ ERROR[assertion]
	return 0;
}
