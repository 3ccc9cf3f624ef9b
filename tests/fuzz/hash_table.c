/*
 * hash_table(N): N threads insert, remove and look up keys in a table with a mutex for each bucket, OPS times each.
 * -DBUG: one look-up in 256 does without the mutex, which matters only while another thread changes the same bucket.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 6
#endif
#ifndef OPS
#define OPS 100
#endif
#define BUCKETS 32
#define KEYS 256

struct node {
	struct node *next;
	int key;
};

static struct {
	pthread_mutex_t lock;
	struct node *first;
} table[BUCKETS];

/* Where the key is, or belongs. */
static struct node **find(int key)
{
	struct node **place = &table[key % BUCKETS].first;

	while (*place && (*place)->key != key)
		place = &(*place)->next;
	return place;
}

static void change(int key)
{
	struct node **place = find(key), *node = *place;

	if (node) {
		*place = node->next;
		free(node);
		return;
	}
	node = malloc(sizeof *node);
	node->key = key;
	node->next = NULL;
	*place = node;
}

static void *work(void *number)
{
	unsigned random = (unsigned)(size_t)number * 2654435761u + 1;
	int found = 0;

	for (int i = 0; i < OPS; i++) {
		random = random * 1664525u + 1013904223u;
		int key = (random >> 8) % KEYS;
		pthread_mutex_t *lock = &table[key % BUCKETS].lock;

#ifdef BUG
		if ((random >> 16) % 256 == 0) {
			found += *find(key) != NULL;
			continue;
		}
#endif
		pthread_mutex_lock(lock);
		if (random >> 31)
			change(key);
		else
			found += *find(key) != NULL;
		pthread_mutex_unlock(lock);
	}
	return (void *)(size_t)found;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	for (size_t i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
