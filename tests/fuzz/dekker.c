/*
 * dekker(OPS): Dekker's mutual exclusion for two threads, which wait as long as it takes.
 * From Dijkstra, "Cooperating sequential processes", 1965.
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

static atomic_int wants[2], turn;

static void enter(int me)
{
	STORE(wants[me], 1);
	while (LOAD(wants[1 - me])) {
		if (LOAD(turn) == me)
			continue;
		STORE(wants[me], 0);
		while (LOAD(turn) != me)
			;
		STORE(wants[me], 1);
	}
}

static void leave(int me)
{
	STORE(turn, 1 - me);
	STORE(wants[me], 0);
}

#define FIRST 0
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
