/* S, can a store be overwritten by one that was done before the message the thread has received? */
#include "litmus.h"

static atomic_int x, y;
static int r0;

static void *p0(void *unused)
{
	STORE(x, 2);
	FENCE();
	STORE(y, 1);
	return 0;
}

static void *p1(void *unused)
{
	r0 = LOAD(y);
	FENCE();
	STORE(x, 1);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(r0 == 1 && FINAL(x) == 2); //~ ERROR[assertion]
	return 0;
}
