/*
 * indexer_mutex(N): N threads insert 4 keys each into a hash table of 128 slots, with a mutex for each slot.
 *
 * From [Tracer], table 2. 8^(N - 11), since up to 11 threads never meet in a slot.
 */
#include "tracer.h"

#ifndef N
#define N 12
#endif
#define SLOTS 128
#define KEYS 4

static pthread_mutex_t locks[SLOTS];
static atomic_int table[SLOTS];

static _Bool claim(int slot, int key)
{
	_Bool empty;

	pthread_mutex_lock(&locks[slot]);
	empty = load(&table[slot]) == 0;
	if (empty)
		store(&table[slot], key);
	pthread_mutex_unlock(&locks[slot]);
	return empty;
}

static void *insert_keys(void *arg)
{
	int id = (int)(long)arg;

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

	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&locks[i], NULL);
	start(threads, N, insert_keys);
	join(threads, N);
	return 0;
}
