/*
 * clh_rwlock(N): N threads queue up for a lock, each behind the node that was last before it came.
 *
 * From [Tracer], table 8: 6 for N = 3, the orders in which they queue up: each waits for what only the one before it
 * can write, so that nothing else differs.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif

static atomic_int is_held[N + 1];
static atomic_int tail = N;

static void *enter(void *arg)
{
	int me = (int)(long)arg;

	store(&is_held[me], 1);
	int before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
	while (load(&is_held[before]))
		;
	store(&is_held[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	start(threads, N, enter);
	join(threads, N);
	return 0;
}
