/*
 * mutex-musl(N): a mutex that sleeps, with its sleepers counted beside its word, so that who unlocks need not be told
 * by the word alone.
 * After the default mutex of musl, the C library (Felker, since 2011): the word is 0, OWNED, or OWNED and CONTENDED.
 * The kernel is a counter of wake-ups, as in mutex.c.
 * -DBUG: the mutex is taken without acquire.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef BUG
#define TAKE memory_order_relaxed
#else
#define TAKE memory_order_acquire
#endif

#define OWNED 1
#define CONTENDED 2

static atomic_int word;
static atomic_int sleepers;
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

static int try_lock(void)
{
	int old = 0;

	return atomic_compare_exchange_strong_explicit(&word, &old, OWNED, TAKE, memory_order_relaxed);
}

static void lock(void)
{
	while (!try_lock()) {
		int old = OWNED;

		atomic_fetch_add_explicit(&sleepers, 1, memory_order_relaxed);
		atomic_compare_exchange_strong_explicit(&word, &old, OWNED | CONTENDED, memory_order_relaxed,
							memory_order_relaxed);
		futex_wait(OWNED | CONTENDED);
		atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
	}
}

static void unlock(void)
{
	int somebody = atomic_load_explicit(&sleepers, memory_order_relaxed);
	int old = atomic_exchange_explicit(&word, 0, memory_order_release);

	if (somebody || old & CONTENDED)
		futex_wake();
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
