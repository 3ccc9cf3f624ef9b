/*
 * indexer(N): N threads insert keys into a hash table of SLOTS, claiming slots by compare-exchange, and remove them
 * again, OPS times each.
 * From [RCMC], table 2, and Flanagan and Godefroid, "Dynamic partial-order reduction", POPL'05, where nothing is removed.
 * -DBUG: a slot is claimed without looking whether it is empty. (Few keys meet in 128.)
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 2
#endif
#ifndef SLOTS
#define SLOTS 128
#endif

static atomic_int table[SLOTS];
static int ids[N];

static _Bool claim(int slot, int key)
{
	int empty = 0;

#ifdef BUG
	(void)empty;
	atomic_store_explicit(&table[slot], key, memory_order_relaxed);
	return 1;
#else
	return atomic_compare_exchange_strong_explicit(&table[slot], &empty, key, memory_order_acquire,
						       memory_order_relaxed);
#endif
}

static void *insert_and_remove(void *arg)
{
	int id = *(int *)arg;

	for (int k = 1; k <= OPS; k++) {
		int key = k * N + id;
		int slot = key * 7 % SLOTS;

		while (!claim(slot, key))
			slot = (slot + 1) % SLOTS;
		assert(atomic_load_explicit(&table[slot], memory_order_relaxed) == key); //~ ERROR[assertion]
		atomic_store_explicit(&table[slot], 0, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < N; i++)
		ids[i] = i;
	RUN(N, insert_and_remove, &ids[i]);
	return 0;
}
