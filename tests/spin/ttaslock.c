/*
 * ttaslock(N): test-and-test-and-set. Waiting has no effect, nor has an exchange that comes too late.
 * -DWEAK: the lock is taken without acquire, and the counter races.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK
#define TAKE memory_order_relaxed
#else
#define TAKE memory_order_acquire
#endif

static atomic_int taken;
static int counter;

static void lock(void)
{
	while (1) {
		while (atomic_load_explicit(&taken, memory_order_relaxed))
			;
		if (!atomic_exchange_explicit(&taken, 1, TAKE))
			return;
	}
}

static void unlock(void)
{
	atomic_store_explicit(&taken, 0, memory_order_release);
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
