/* A hash table with one lock. Adders put keys into buckets of their own; seeker i looks for the key of adder i, if there is one.
 * It finds it or not: up to rf, with the order of sections left open, 2^min(SEEKERS, ADDERS) executions. The third adder
 * shares the bucket of no seeker if HIDDEN. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef SEEKERS
#define SEEKERS 2
#endif
#ifndef ADDERS
#define ADDERS 2
#endif
#define BUCKETS 8

struct node {
	long key;
	struct node *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct node *table[BUCKETS], nodes[BUCKETS];

static long key_of(long number)
{
#ifdef HIDDEN
	return number == 2 ? 7 : number;
#else
	return number;
#endif
}

static void *add(void *number)
{
	long key = key_of((long)number);

	nodes[key].key = key;
	pthread_mutex_lock(&mutex);
	nodes[key].next = table[key % BUCKETS];
	table[key % BUCKETS] = &nodes[key];
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *seek(void *number)
{
	long key = (long)number;
	struct node *node;

	pthread_mutex_lock(&mutex);
	for (node = table[key % BUCKETS]; node && node->key != key; node = node->next)
		;
	pthread_mutex_unlock(&mutex);
	assert(!node || node->key == key);
	return NULL;
}

int main(void)
{
	pthread_t threads[SEEKERS + ADDERS];

	for (long i = 0; i < SEEKERS; i++)
		pthread_create(&threads[i], NULL, seek, (void *)i);
	for (long i = 0; i < ADDERS; i++)
		pthread_create(&threads[SEEKERS + i], NULL, add, (void *)i);
	for (int i = 0; i < SEEKERS + ADDERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
