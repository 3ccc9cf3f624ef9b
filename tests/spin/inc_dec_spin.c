/*
 * inc_dec_spin(N): N threads take a lock by adding 1, and give it back if it was taken.
 * -DWEAK: the lock is released without release, and the counter races.
 *
 * INC-DEC-SPIN of [SAVER]: an attempt in vain has no net effect. The executions are the orders in which they get it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_int owners;
static int counter;

static void lock(void)
{
	while (atomic_fetch_add_explicit(&owners, 1, memory_order_acquire) != 0)
		atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed);
}

static void unlock(void)
{
	atomic_fetch_sub_explicit(&owners, 1, GIVE);
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
