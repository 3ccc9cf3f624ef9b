/*
 * ms-queue(READERS, WRITERS, BOTH): a queue as a list that begins with a node already taken. Its end may lag behind by
 * one node; whoever meets that helps.
 * Michael and Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms, PODC 1996.
 * Writers put OPS values each, readers take up to OPS, BOTH put one and then take one, and must find one. What one
 * thread takes of one writer comes in order. Nodes are not freed, so that no address comes back.
 * -DBUG: a node is appended without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 0
#endif
#ifndef WRITERS
#define WRITERS 0
#endif
#ifndef BOTH
#define BOTH 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

#define THREADS (READERS + WRITERS + BOTH)
#define NOTHING 0

struct node {
	int value;
	struct node *_Atomic next;
};

static struct node *_Atomic first;
static struct node *_Atomic last;
/* What each thread has taken. Thread i puts the values from i * OPS + 1 on. */
static int taken[THREADS][OPS];

static void put(int value)
{
	struct node *node = malloc(sizeof *node);
	struct node *end, *next;

	node->value = value;
	atomic_init(&node->next, NULL);
	while (1) {
		end = atomic_load_explicit(&last, memory_order_acquire);
		next = atomic_load_explicit(&end->next, memory_order_acquire); //~ ERROR[data-race]
		if (end != atomic_load_explicit(&last, memory_order_relaxed))
			continue;
		if (next)
			atomic_compare_exchange_strong_explicit(&last, &end, next, memory_order_release,
								memory_order_relaxed);
		else if (atomic_compare_exchange_strong_explicit(&end->next, &next, node, PUBLISH, //~ ALSO
								 memory_order_relaxed))
			break;
	}
	atomic_compare_exchange_strong_explicit(&last, &end, node, memory_order_release, memory_order_relaxed);
}

static int take(void)
{
	struct node *begin, *end, *next;

	while (1) {
		begin = atomic_load_explicit(&first, memory_order_acquire);
		end = atomic_load_explicit(&last, memory_order_acquire);
		next = atomic_load_explicit(&begin->next, memory_order_acquire);
		if (begin != atomic_load_explicit(&first, memory_order_relaxed))
			continue;
		if (!next)
			return NOTHING;
		if (begin == end)
			atomic_compare_exchange_strong_explicit(&last, &end, next, memory_order_release,
								memory_order_relaxed);
		else if (atomic_compare_exchange_strong_explicit(&first, &begin, next, memory_order_release,
								 memory_order_relaxed))
			break;
	}
	return next->value;
}

static void *writer(void *mine)
{
	for (int i = 0; i < OPS; i++)
		put((int *)mine - taken[0] + 1 + i);
	return NULL;
}

static void *reader(void *mine)
{
	for (int i = 0; i < OPS; i++)
		((int *)mine)[i] = take();
	return NULL;
}

static void *both(void *mine)
{
	put((int *)mine - taken[0] + 1);
	*(int *)mine = take();
	assert(*(int *)mine != NOTHING);
	return NULL;
}

static void check(void)
{
	int seen[THREADS * OPS + 1] = {0};

	for (int i = 0; i < THREADS; i++) {
		int newest[THREADS] = {0};

		for (int j = 0; j < OPS; j++) {
			int value = taken[i][j];
			int from = value ? (value - 1) / OPS : 0;

			seen[value]++;
			assert(!value || value > newest[from]);
			newest[from] = value;
		}
	}
	for (struct node *node = first->next; node; node = node->next)
		seen[node->value]++;
	for (int i = 0; i < WRITERS * OPS; i++)
		assert(seen[i + 1] == 1);
	for (int i = 0; i < BOTH; i++)
		assert(seen[(WRITERS + i) * OPS + 1] == 1);
}

int main(void)
{
	pthread_t threads[THREADS];
	struct node *node = malloc(sizeof *node);

	atomic_init(&node->next, NULL);
	atomic_init(&first, node);
	atomic_init(&last, node);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : i < WRITERS + BOTH ? both : reader, taken[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check();
	return 0;
}
