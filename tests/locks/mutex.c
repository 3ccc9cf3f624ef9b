/*
 * mutex(N): a mutex that sleeps. Its word is 0 if it is free, 1 if it is taken, 2 if somebody may sleep.
 * The second mutex of Drepper, Futexes Are Tricky, 2004.
 * The kernel is a counter of wake-ups: who sleeps waits until it changes. It is read before the word, and changed after
 * the word; so no wake-up is lost.
 * -DBUG: the mutex is released without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_int word;
static atomic_int wakes;
static int counter;

static void futex_wait(int value)
{
	int seen = atomic_load_explicit(&wakes, memory_order_acquire);

	if (atomic_load_explicit(&word, memory_order_relaxed) != value)
		return;
	while (atomic_load_explicit(&wakes, memory_order_relaxed) == seen)
		;
}

static void futex_wake(void)
{
	atomic_fetch_add_explicit(&wakes, 1, memory_order_release);
}

static void lock(void)
{
	int old = 0;

	if (atomic_compare_exchange_strong_explicit(&word, &old, 1, memory_order_acquire, memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(&word, 2, memory_order_acquire))
		futex_wait(2);
}

static void unlock(void)
{
	if (atomic_exchange_explicit(&word, 0, GIVE) == 2)
		futex_wake();
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
