/*
 * indexer(N): N threads insert 4 keys each into a hash table of 128 slots, claiming slots by compare-exchange.
 *
 * From [RCMC], table 2, and Flanagan and Godefroid, "Dynamic partial-order reduction", POPL'05.
 * Executions: 8^(N-11), since up to 11 threads never meet in a slot.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif
#define SLOTS 128
#define KEYS 4

static atomic_int table[SLOTS];
static int ids[N];

static _Bool claim(int slot, int key)
{
	int empty = 0;

	return atomic_compare_exchange_strong_explicit(&table[slot], &empty, key, memory_order_relaxed,
						       memory_order_relaxed);
}

static void *insert_keys(void *arg)
{
	int id = *(int *)arg;

	for (int k = 1; k <= KEYS; k++) {
		int key = k * 11 + id;
		int slot = key * 7 % SLOTS;

		while (!claim(slot, key))
			slot = (slot + 1) % SLOTS;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		ids[i] = i;
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, insert_keys, &ids[i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
