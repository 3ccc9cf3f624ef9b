/* CoRR, coherence of two reads: can the second load see an older value than the first? Never. */
#include "litmus.h"

static atomic_int x;
static int r0, r1;

static void *p0(void *unused)
{
	STORE(x, 1);
	return 0;
}

static void *p1(void *unused)
{
	r0 = LOAD(x);
	FENCE();
	r1 = LOAD(x);
	return 0;
}

int main(void)
{
	THREADS(p0, p1);
	WEAK(r0 == 1 && r1 == 0); //~ ERROR[assertion]
	return 0;
}
