/* CoWW, coherence of two writes: can the first store of a thread overwrite its second one? Never. */
#include "litmus.h"

static atomic_int x;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	STORE(x, 2);
	return 0;
}

static void *p1(void *unused)
{
	STORE(x, 3);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(FINAL(x) == 1); //~ ERROR[assertion]
	return 0;
}
