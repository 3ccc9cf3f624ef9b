/* CoRW, coherence of a read and a write: can a load see a store that overwrites the thread's next one? Never. */
#include "litmus.h"

static atomic_int x;
static int r0;

static void *p0(void *unused)
{
	r0 = LOAD(x);
	FENCE();
	STORE(x, 1);
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
	WEAK(r0 == 2 && FINAL(x) == 2); //~ ERROR[assertion]
	return 0;
}
