/*
 * qspinlock(N): a lock in one word: a bit for who has it, a bit for the one who waits at the word itself, and the end
 * of a queue of all others, who wait at places of their own.
 * The queued spinlock of Linux: Long and Zijlstra, 2015, after the lock of Mellor-Crummey and Scott. Here the parts of
 * the word are not accessed as bytes.
 * -DBUG: who waits at the word does not acquire.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef BUG
#define SEE memory_order_relaxed
#else
#define SEE memory_order_acquire
#endif

#define LOCKED 1
#define PENDING 2
#define END 4 /* times the number of the last thread of the queue, counted from one */
#define END_OF(word) ((word) / END)

struct place {
	struct place *_Atomic behind;
	atomic_int called;
};

static atomic_int word;
static struct place places[N + 1];
static int counter;

static int set_end(int me)
{
	int old;

	do
		old = atomic_load_explicit(&word, memory_order_relaxed);
	while (!atomic_compare_exchange_strong_explicit(&word, &old, old % END + me * END, memory_order_acq_rel,
							memory_order_relaxed));
	return END_OF(old);
}

static void lock_in_queue(int me)
{
	struct place *mine = &places[me];
	struct place *next;
	int old, ahead;

	atomic_store_explicit(&mine->behind, NULL, memory_order_relaxed);
	atomic_store_explicit(&mine->called, 0, memory_order_relaxed);
	ahead = set_end(me);
	if (ahead) {
		atomic_store_explicit(&places[ahead].behind, mine, memory_order_release);
		while (!atomic_load_explicit(&mine->called, memory_order_acquire))
			;
	}
	/* First in the queue: those at the word itself come before. */
	do
		old = atomic_load_explicit(&word, memory_order_acquire);
	while (old % END);
	if (END_OF(old) == me &&
	    atomic_compare_exchange_strong_explicit(&word, &old, LOCKED, memory_order_relaxed, memory_order_relaxed))
		return;
	/* Who set a bit too late sees that there is a queue, and comes behind us. */
	atomic_fetch_or_explicit(&word, LOCKED, memory_order_relaxed);
	do
		next = atomic_load_explicit(&mine->behind, memory_order_acquire);
	while (!next);
	atomic_store_explicit(&next->called, 1, memory_order_release);
}

static void lock(int me)
{
	int old = 0;

	if (atomic_compare_exchange_strong_explicit(&word, &old, LOCKED, memory_order_acquire, memory_order_relaxed))
		return;
	if (old == LOCKED) {
		old = atomic_fetch_or_explicit(&word, PENDING, memory_order_acquire);
		if (!(old & ~LOCKED)) {
			while (atomic_load_explicit(&word, SEE) & LOCKED)
				;
			atomic_fetch_sub_explicit(&word, PENDING - LOCKED, memory_order_relaxed);
			return;
		}
		if (!(old & PENDING))
			atomic_fetch_and_explicit(&word, ~PENDING, memory_order_relaxed);
	}
	lock_in_queue(me);
}

static void unlock(void)
{
	atomic_fetch_sub_explicit(&word, LOCKED, memory_order_release);
}

static void *work(void *place)
{
	lock((struct place *)place - places);
	counter++; //~ ERROR[data-race]
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, &places[i + 1]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
