/* ISA2, message passing through a third thread: can the data be missed? */
#include "litmus.h"

static atomic_int x, y, z;
static int r0, r1, r2;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	STORE(y, 1);
	return 0;
}

static void *p1(void *unused)
{
	r0 = LOAD(y);
	FENCE();
	STORE(z, 1);
	return 0;
}

static void *p2(void *unused)
{
	r1 = LOAD(z);
	FENCE();
	r2 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1, p2);
	WEAK(r0 == 1 && r1 == 1 && r2 == 0); //~ ERROR[assertion]
	return 0;
}
