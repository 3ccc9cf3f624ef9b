/*
 * spinlock(N): a lock taken by compare-exchange, which has no effect when it fails.
 * -DWEAK: the lock is released without release, and the counter races.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifdef WEAK
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_int taken;
static int counter;

static void lock(void)
{
	int free = 0;

	while (!atomic_compare_exchange_strong_explicit(&taken, &free, 1, memory_order_acquire,
							memory_order_relaxed))
		free = 0;
}

static void unlock(void)
{
	atomic_store_explicit(&taken, 0, GIVE);
}

static void *work(void *unused)
{
	lock();
	counter++; //~ ERROR[data-race]
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
