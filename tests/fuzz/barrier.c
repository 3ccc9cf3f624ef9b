/*
 * barrier(N): tests/locks/barrier.c, any number of rounds in the same memory: what was done in a round is looked at after its
 * barrier, and done again two rounds later.
 * -DBUG: arriving releases, but does not acquire, and who arrives last has not seen what the others did.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifdef BUG
#define ARRIVE memory_order_release
#else
#define ARRIVE memory_order_acq_rel
#endif

static atomic_int missing = N;
static atomic_int sense;
static int done[2][N];

static void wait_for_all(int round)
{
	if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
		atomic_store_explicit(&missing, N, memory_order_relaxed);
		atomic_store_explicit(&sense, round, memory_order_release);
	} else {
		while (atomic_load_explicit(&sense, memory_order_acquire) != round)
			;
	}
}

static void *work(void *number)
{
	int me = (int *)number - done[0];

	for (int round = 1; round <= ROUNDS; round++) {
		done[round % 2][me] = round; //~ ERROR[data-race]
		wait_for_all(round);
		assert(done[round % 2][(me + 1) % N] == round); //~ ALSO
	}
	return NULL;
}

int main(void)
{
	RUN(N, work, &done[0][i]);
	return 0;
}
