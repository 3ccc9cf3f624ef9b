/*
 * lamport(L): Lamport's fast mutual exclusion for two threads, all accesses sequentially consistent. Each wait looks
 * at most L times, the whole protocol is tried at most L times, and then the thread gives up.
 *
 * From Lamport, "A fast mutual exclusion algorithm", TOCS 1987. No closed form; counts agree with GenMC.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef L
#define L 1
#endif

static atomic_int busy[3], x, y;
static int inside;
static int ids[3] = {0, 1, 2};

static _Bool await_zero(atomic_int *where)
{
	for (int i = 0; i < L; i++)
		if (atomic_load(where) == 0)
			return 1;
	return 0;
}

static _Bool enter(int me)
{
	for (int i = 0; i < L; i++) {
		atomic_store(&busy[me], 1);
		atomic_store(&x, me);
		if (atomic_load(&y) != 0) {
			atomic_store(&busy[me], 0);
			if (!await_zero(&y))
				return 0;
			continue;
		}
		atomic_store(&y, me);
		if (atomic_load(&x) == me)
			return 1;
		atomic_store(&busy[me], 0);
		if (!await_zero(&busy[1]) || !await_zero(&busy[2]))
			return 0;
		if (atomic_load(&y) == me)
			return 1;
		if (!await_zero(&y))
			return 0;
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
	atomic_store(&y, 0);
	atomic_store(&busy[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 1; i <= 2; i++)
		pthread_create(&threads[i], NULL, run, &ids[i]);
	for (int i = 1; i <= 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
