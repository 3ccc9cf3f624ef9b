/*
 * N threads take a lock by exchange, again and again. An exchange that finds the lock taken writes what it has read, and has
 * no effect.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif

static atomic_int taken;
static int counter;

static void *work(void *unused)
{
	while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
		;
	counter++;
	atomic_store_explicit(&taken, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	RUN(N, work, NULL);
	assert(counter == N);
	return 0;
}
