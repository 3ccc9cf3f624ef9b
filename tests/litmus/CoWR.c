/* CoWR, coherence of a write and a read: can a load see a store that the thread's own has overwritten? Never. */
#include "litmus.h"

static atomic_int x;
static int r0;

static void *p0(void *unused)
{
	STORE(x, 1);
	FENCE();
	r0 = LOAD(x);
	return 0;
}

static void *p1(void *unused)
{
	STORE(x, 2);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(r0 == 2 && FINAL(x) == 1); //~ ERROR[assertion]
	return 0;
}
