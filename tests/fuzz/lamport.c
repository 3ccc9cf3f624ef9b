/*
 * lamport(OPS): Lamport's fast mutual exclusion for two threads, which wait as long as it takes.
 * From Lamport, "A fast mutual exclusion algorithm", TOCS 1987.
 * -DBUG: all accesses are acquire and release instead of SC.
 */
#include <stdatomic.h>

#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define LOAD(at) atomic_load_explicit(&(at), memory_order_acquire)
#define STORE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)
#else
#define LOAD(at) atomic_load(&(at))
#define STORE(at, value) atomic_store(&(at), (value))
#endif

static atomic_int busy[3], x, y;

static void await_zero(atomic_int *where)
{
	while (LOAD(*where))
		;
}

static void enter(int me)
{
	while (1) {
		STORE(busy[me], 1);
		STORE(x, me);
		if (LOAD(y)) {
			STORE(busy[me], 0);
			await_zero(&y);
			continue;
		}
		STORE(y, me);
		if (LOAD(x) == me)
			return;
		STORE(busy[me], 0);
		await_zero(&busy[1]);
		await_zero(&busy[2]);
		if (LOAD(y) == me)
			return;
		await_zero(&y);
	}
}

static void leave(int me)
{
	STORE(y, 0);
	STORE(busy[me], 0);
}

/* Nobody is 0. */
#define FIRST 1
#include "two_threads.h"

static void *work(void *number)
{
	int me = *(int *)number;

	for (int i = 0; i < OPS; i++) {
		enter(me);
		counter++; //~ ERROR[data-race]
		leave(me);
	}
	return NULL;
}
