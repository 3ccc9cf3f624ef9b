/*
 * treiber-stack(READERS, WRITERS, BOTH): a stack as a list whose top is exchanged by compare-exchange.
 * Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986.
 * Writers push a value of their own, readers pop one if there is one, BOTH push and then pop: they must find one.
 * Nodes are not freed before the end, so that no address comes back. What is below a node is written before others can
 * reach the node; it is read as an atomic, as a round with a plain read of shared memory is not cut.
 * -DBUG: a node is pushed without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef BOTH
#define BOTH 0
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
	struct node *_Atomic below;
};

static struct node *_Atomic top;
/* What thread i, which pushes i + 1, has popped. */
static int popped[THREADS];

static void push(int value)
{
	struct node *node = malloc(sizeof *node);
	struct node *old;

	node->value = value;
	do {
		old = atomic_load_explicit(&top, memory_order_relaxed);
		atomic_init(&node->below, old);
	} while (!atomic_compare_exchange_strong_explicit(&top, &old, node, PUBLISH, memory_order_relaxed)); //~ ALSO
}

static int pop(void)
{
	struct node *old, *below;

	do {
		old = atomic_load_explicit(&top, memory_order_acquire);
		if (!old)
			return NOTHING;
		below = atomic_load_explicit(&old->below, memory_order_relaxed); //~ ERROR[data-race]
	} while (!atomic_compare_exchange_strong_explicit(&top, &old, below, memory_order_relaxed,
							  memory_order_relaxed));
	return old->value;
}

static void *writer(void *mine)
{
	push((int *)mine - popped + 1);
	return NULL;
}

static void *reader(void *mine)
{
	*(int *)mine = pop();
	return NULL;
}

static void *both(void *mine)
{
	writer(mine);
	reader(mine);
	assert(*(int *)mine != NOTHING);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int seen[THREADS + 1] = {0};

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : i < WRITERS + BOTH ? both : reader,
			       &popped[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		seen[popped[i]]++;
	while (top) {
		struct node *node = top;

		seen[node->value]++;
		top = node->below;
		free(node);
	}
	for (int i = 1; i <= WRITERS + BOTH; i++)
		assert(seen[i] == 1);
	return 0;
}
