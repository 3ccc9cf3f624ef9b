/*
 * peterson(OPS): Peterson's mutual exclusion for two threads, which wait as long as it takes.
 * From Peterson, "Myths about the mutual exclusion problem", IPL 1981.
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
	STORE(turn, 1 - me);
	while (LOAD(wants[1 - me]) && LOAD(turn) != me)
		;
}

static void leave(int me)
{
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
