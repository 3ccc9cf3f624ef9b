/*
 * ticketlock(N): N threads draw a number and wait until it is called, OPS times each.
 * Lamport's bakery with a counter: Reed and Kanodia, CACM 1979; its name: Mellor-Crummey and Scott, TOCS 1991.
 * -DBUG: the next number is called without release.
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

static atomic_int drawn, called;
static int counter;

static int lock(void)
{
	int ticket = atomic_fetch_add_explicit(&drawn, 1, memory_order_relaxed);

	while (atomic_load_explicit(&called, memory_order_acquire) != ticket)
		;
	return ticket;
}

static void unlock(int ticket)
{
	atomic_store_explicit(&called, ticket + 1, CALL);
}

static void *work(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		int ticket = lock();
		int before = counter++; //~ ERROR[data-race]

		unlock(ticket);
		assert(before == ticket);
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
