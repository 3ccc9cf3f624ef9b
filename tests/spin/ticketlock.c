/*
 * ticketlock(N): who waits only reads.
 * -DWEAK: waiting does not acquire, and the counter races.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifdef WEAK
#define WAIT memory_order_relaxed
#else
#define WAIT memory_order_acquire
#endif

static atomic_int next, owner;
static int counter;

static void lock(void)
{
	int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

	while (atomic_load_explicit(&owner, WAIT) != ticket)
		;
}

static void unlock(void)
{
	int now = atomic_load_explicit(&owner, memory_order_relaxed);

	atomic_store_explicit(&owner, now + 1, memory_order_release);
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
