/*
 * dekker(L): Dekker's mutual exclusion for two threads, all accesses sequentially consistent. Each of the two waits
 * looks at most L times, and then the thread gives up.
 *
 * From Dijkstra, "Cooperating sequential processes", 1965. No closed form; counts agree with GenMC.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef L
#define L 2
#endif

static atomic_int wants[2], turn;
static int inside;
static int ids[2] = {0, 1};

static _Bool await_turn(int me)
{
	for (int i = 0; i < L; i++)
		if (atomic_load(&turn) == me)
			return 1;
	return 0;
}

static _Bool enter(int me)
{
	atomic_store(&wants[me], 1);
	for (int i = 0; i < L; i++) {
		if (!atomic_load(&wants[1 - me]))
			return 1;
		if (atomic_load(&turn) == me)
			continue;
		atomic_store(&wants[me], 0);
		if (!await_turn(me))
			return 0;
		atomic_store(&wants[me], 1);
	}
	return 0;
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	if (!enter(me))
		return NULL;
	inside = me; //~ ERROR[data-race]
	assert(inside == me);
	atomic_store(&turn, 1 - me);
	atomic_store(&wants[me], 0);
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
