/*
 * Nodes are handed over in slots that functions read and write. The one that reads is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int number;
	int value;
};

static struct {
	int size;
	_Atomic(struct node *) slots[2];
} queue;

static struct node *get(_Atomic(struct node *) *slot)
{
	return atomic_load_explicit(slot, memory_order_relaxed);
}

static void put(_Atomic(struct node *) *slot, struct node *node)
{
	atomic_store_explicit(slot, node, memory_order_release); //~ ERROR[data-race]
}

static void *producer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		struct node *node = malloc(sizeof *node);
		node->value = i;
		put(&queue.slots[i], node);
	}
	return NULL;
}

static void *consumer(void *unused)
{
	get(&queue.slots[0]);
	struct node *node = get(&queue.slots[1]);
	if (node)
		assert(node->value == 1); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, producer, NULL);
	pthread_create(&threads[1], NULL, consumer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
