/* SB, store buffering: can both threads miss the other's store? */
#include "litmus.h"

static atomic_int x, y;
static int r0, r1;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	r0 = LOAD(y);
	return 0;
}

static void *p1(void *unused)
{
	STORE(y, 1);
	FENCE();
	r1 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(r0 == 0 && r1 == 0); //~ ERROR[assertion]
	return 0;
}
