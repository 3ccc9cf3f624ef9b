/* 2+2W, can the first stores of both threads be the last ones to arrive? */
#include "litmus.h"

static atomic_int x, y;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	STORE(y, 2);
	return 0;
}

static void *p1(void *unused)
{
	STORE(y, 1);
	FENCE();
	STORE(x, 2);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(FINAL(x) == 1 && FINAL(y) == 1); //~ ERROR[assertion]
	return 0;
}
