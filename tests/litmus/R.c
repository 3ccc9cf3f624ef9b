/* R, can a thread that stores last to y miss what came before the first store to y? */
#include "litmus.h"

static atomic_int x, y;
static int r0;

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
	r0 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(FINAL(y) == 2 && r0 == 0); //~ ERROR[assertion]
	return 0;
}
