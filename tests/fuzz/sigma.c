/*
 * sigma(N): main counts, and N threads write the element of an array that the counter says, OPS times each.
 * From [Tracer], table 3, where main creates a thread each time.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif

static atomic_int counter;
static atomic_int array[N];

#define READ(at) atomic_load_explicit(&(at), memory_order_acquire)
#define WRITE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)

static void *set(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		int now = READ(counter);

		/* Who has seen the counter has seen what was there when it was written. */
		WRITE(array[now % N], now);
		assert(READ(counter) >= now);
	}
	return NULL;
}

static void *count(void *unused)
{
	for (int i = 0; i < OPS; i++)
		WRITE(counter, READ(counter) + 1);
	return NULL;
}

int main(void)
{
	RUN(N + 1, i < N ? set : count, NULL);
	assert(counter == OPS);
	return 0;
}
