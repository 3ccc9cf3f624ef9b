/*
 * late_handover: two threads take turns, ROUNDS times, and hand over a value each time; in the last round the flag is set without
 * release (-DBUG), so that the value may be missed. Only the last of many events is wrong, and only if it is read too early.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 100
#endif

static atomic_int turn, value;

static void hand_over(int to, int round)
{
#ifdef BUG
	if (round == ROUNDS) {
		atomic_store_explicit(&turn, to, memory_order_relaxed);
		return;
	}
#endif
	atomic_store_explicit(&turn, to, memory_order_release);
}

static void *other(void *unused)
{
	for (int round = 1; round <= ROUNDS; round++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * round - 1)
			;
		assert(atomic_load_explicit(&value, memory_order_relaxed) == round); //~ ERROR[assertion]
		hand_over(2 * round, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	for (int round = 1; round <= ROUNDS; round++) {
		atomic_store_explicit(&value, round, memory_order_relaxed);
		hand_over(2 * round - 1, round);
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * round)
			;
	}
	pthread_join(thread, NULL);
	return 0;
}
