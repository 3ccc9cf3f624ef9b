/* Z6.3, a store overwrites y, and then a message: can its reader miss what came before the overwritten one? */
#include "litmus.h"

static atomic_int x, y, z;
static int r0, r1;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	STORE(y, 1);
	return 0;
}

static void *p1(void *unused)
{
	STORE(y, 2);
	FENCE();
	STORE(z, 1);
	return 0;
}

static void *p2(void *unused)
{
	r0 = LOAD(z);
	FENCE();
	r1 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1, p2);
	WEAK(FINAL(y) == 2 && r0 == 1 && r1 == 0); //~ ERROR[assertion]
	return 0;
}
