/*
 * ttaslock(N): N threads take a lock by an exchange, but only when it looked free, OPS times each.
 * Test-and-test-and-set: Rudolph and Segall, ISCA 1984. Waiting reads; an exchange that comes too late writes.
 * -DBUG: the lock is released without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_int taken;
static int counter;

static void lock(void)
{
	do {
		while (atomic_load_explicit(&taken, memory_order_relaxed))
			;
	} while (atomic_exchange_explicit(&taken, 1, memory_order_acquire));
}

static void unlock(void)
{
	atomic_store_explicit(&taken, 0, GIVE);
}

static void *work(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		lock();
		counter++; //~ ERROR[data-race]
		unlock();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N * OPS);
	return 0;
}
