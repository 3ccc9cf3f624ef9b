/*
 * A lock that is read before it is tried, and that lets others run after an attempt in vain: as servers wait for a word in
 * shared memory. COUNTS: whether there are other processors is a variable that is never written.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_ulong lock;
static long processors = 1;
static int guarded;

static int try(unsigned long old, unsigned long new)
{
	return atomic_compare_exchange_strong(&lock, &old, new);
}

static void *work(void *unused)
{
	for (;;) {
		if (lock == 0 && try(0, 1))
			break;
#ifdef COUNTS
		if (processors > 1)
			(void)lock;
#endif
		sched_yield();
	}
	guarded++; //~ ERROR[data-race]
#ifdef EARLY
	atomic_store_explicit(&lock, 0, memory_order_relaxed);
#else
	lock = 0;
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(guarded == N);
	return 0;
}
