/*
 * szymanski(OPS): Szymanski's mutual exclusion for two threads, which wait as long as it takes.
 * From Szymanski, "A simple solution to Lamport's concurrent programming problem with linear wait", ICS 1988.
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

enum { OUTSIDE, WANTS, WAITS, AT_DOOR, IN };

static atomic_int flag[2];

/* Waits until the flag of `who` is in the set of states `good`. */
static void await(int who, unsigned good)
{
	while (!(good >> LOAD(flag[who]) & 1u))
		;
}

static void enter(int me)
{
	int other = 1 - me;

	STORE(flag[me], WANTS);
	await(other, 1u << OUTSIDE | 1u << WANTS | 1u << WAITS);
	STORE(flag[me], AT_DOOR);
	if (LOAD(flag[other]) == WANTS) {
		STORE(flag[me], WAITS);
		await(other, 1u << IN);
	}
	STORE(flag[me], IN);
	/* The lower thread goes first. */
	if (me == 1)
		await(other, 1u << OUTSIDE | 1u << WANTS);
}

static void leave(int me)
{
	/* Nobody is left between the doors. */
	if (me == 0)
		await(1, 1u << OUTSIDE | 1u << WANTS | 1u << IN);
	STORE(flag[me], OUTSIDE);
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
