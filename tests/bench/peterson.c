/*
 * peterson(L): Peterson's mutual exclusion for two threads, all accesses sequentially consistent. A thread looks at
 * most L times whether it may enter, and then gives up.
 *
 * From Peterson, "Myths about the mutual exclusion problem", IPL 1981. No closed form; counts agree with GenMC.
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

static _Bool enter(int me)
{
	int other = 1 - me;

	atomic_store(&wants[me], 1);
	atomic_store(&turn, other);
	for (int i = 0; i < L; i++)
		if (!atomic_load(&wants[other]) || atomic_load(&turn) != other)
			return 1;
	return 0;
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	if (!enter(me))
		return NULL;
	inside = me; //~ ERROR[data-race]
	assert(inside == me);
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
