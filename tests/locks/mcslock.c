/*
 * mcslock(N): N threads queue up for a lock; each waits at a place of its own until its predecessor calls it.
 * Mellor-Crummey and Scott, Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, TOCS 1991.
 * -DBUG: the successor is called without release.
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
#define CALL memory_order_relaxed
#else
#define CALL memory_order_release
#endif

struct place {
	struct place *_Atomic behind;
	atomic_int called;
};

static struct place *_Atomic last;
static struct place places[N];
static int counter;

static void lock(struct place *mine)
{
	struct place *ahead;

	atomic_store_explicit(&mine->behind, NULL, memory_order_relaxed);
	atomic_store_explicit(&mine->called, 0, memory_order_relaxed);
	ahead = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
	if (!ahead)
		return;
	atomic_store_explicit(&ahead->behind, mine, memory_order_release);
	while (!atomic_load_explicit(&mine->called, memory_order_acquire))
		;
}

static void unlock(struct place *mine)
{
	struct place *next = atomic_load_explicit(&mine->behind, memory_order_acquire);

	if (!next) {
		struct place *alone = mine;

		if (atomic_compare_exchange_strong_explicit(&last, &alone, NULL, memory_order_release,
							    memory_order_relaxed))
			return;
		/* Somebody is behind us, and is about to say so. */
		do
			next = atomic_load_explicit(&mine->behind, memory_order_acquire);
		while (!next);
	}
	atomic_store_explicit(&next->called, 1, CALL);
}

static void *work(void *mine)
{
	for (int i = 0; i < OPS; i++) {
		lock(mine);
		counter++; //~ ERROR[data-race]
		unlock(mine);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, &places[i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N * OPS);
	return 0;
}
