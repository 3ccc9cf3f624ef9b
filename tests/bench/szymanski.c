/*
 * szymanski(L): Szymanski's mutual exclusion for two threads, all accesses sequentially consistent. Each wait looks
 * at most L times, and then the thread gives up.
 *
 * From Szymanski, "A simple solution to Lamport's concurrent programming problem with linear wait", ICS 1988.
 * No closed form; counts agree with GenMC.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef L
#define L 1
#endif

enum { OUTSIDE, WANTS, WAITS, AT_DOOR, IN };

static atomic_int flag[2];
static int inside;
static int ids[2] = {0, 1};

/* Waits until the flag of `who` is in the set of states `good`. */
static _Bool await(int who, unsigned good)
{
	for (int i = 0; i < L; i++)
		if (good >> atomic_load(&flag[who]) & 1u)
			return 1;
	return 0;
}

static _Bool enter(int me)
{
	int other = 1 - me;

	atomic_store(&flag[me], WANTS);
	if (!await(other, 1u << OUTSIDE | 1u << WANTS | 1u << WAITS))
		return 0;
	atomic_store(&flag[me], AT_DOOR);
	if (atomic_load(&flag[other]) == WANTS) {
		atomic_store(&flag[me], WAITS);
		if (!await(other, 1u << IN))
			return 0;
	}
	atomic_store(&flag[me], IN);
	/* The lower thread goes first. */
	return me == 0 || await(other, 1u << OUTSIDE | 1u << WANTS);
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	if (!enter(me))
		return NULL;
	inside = me; //~ ERROR[data-race]
	assert(inside == me);
	/* Nobody is left between the doors. */
	if (me == 1 || await(1, 1u << OUTSIDE | 1u << WANTS | 1u << IN))
		atomic_store(&flag[me], OUTSIDE);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
