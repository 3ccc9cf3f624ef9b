/*
 * spinlock(N): N threads take a lock by compare-exchange, OPS times each, and count inside it.
 * The oldest lock there is: Dijkstra's question of 1965, answered with one instruction of the machine.
 * -DBUG: the lock is taken without acquire.
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
#define TAKE memory_order_relaxed
#else
#define TAKE memory_order_acquire
#endif

static atomic_int taken;
static int counter;

static void lock(void)
{
	int free;

	do
		free = 0;
	while (!atomic_compare_exchange_strong_explicit(&taken, &free, 1, TAKE, memory_order_relaxed));
}

static void unlock(void)
{
	atomic_store_explicit(&taken, 0, memory_order_release);
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
