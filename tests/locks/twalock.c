/*
 * twalock(N): a ticket lock where only the next in line watches the number that is called. Who is further back watches
 * a cell of an array, which is touched when they come nearer.
 * TWA, ticket locks augmented with a waiting array: Dice and Kogan, Euro-Par 2019.
 * -DBUG: the number is called without release.
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

#define CELLS 4
#define NEAR 1 /* Who is at most this far from the front watches the number itself. */

static atomic_int drawn, called;
static atomic_int cells[CELLS];
static int counter;

static int distance(int ticket)
{
	return ticket - atomic_load_explicit(&called, memory_order_acquire);
}

/* A touch that came before the look at the cell is followed by a look at the number that made it. */
static void wait_far(int ticket)
{
	atomic_int *cell = &cells[ticket % CELLS];
	int seen;

	do {
		seen = atomic_load_explicit(cell, memory_order_acquire);
		if (distance(ticket) <= NEAR)
			return;
		while (atomic_load_explicit(cell, memory_order_acquire) == seen)
			;
	} while (1);
}

static int lock(void)
{
	int ticket = atomic_fetch_add_explicit(&drawn, 1, memory_order_relaxed);
	int ahead = distance(ticket);

	if (ahead > NEAR)
		wait_far(ticket);
	if (ahead > 0)
		while (distance(ticket) > 0)
			;
	return ticket;
}

static void unlock(int ticket)
{
	atomic_store_explicit(&called, ticket + 1, CALL);
	atomic_fetch_add_explicit(&cells[(ticket + 1 + NEAR) % CELLS], 1, memory_order_release);
}

static void *work(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		int ticket = lock();

		counter++; //~ ERROR[data-race]
		unlock(ticket);
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
