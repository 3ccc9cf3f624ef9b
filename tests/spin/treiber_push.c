/*
 * treiber-stack(N), push of [SAVER], figure 4: a round that fails has written to a node that nobody else can reach.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

struct node {
	int value;
	struct node *next;
};

static struct node *_Atomic stack;

static void *push(void *unused)
{
	struct node *node = malloc(sizeof *node);

	node->value = 1;
	while (1) {
		struct node *top = atomic_load_explicit(&stack, memory_order_relaxed);
		node->next = top;
		if (atomic_compare_exchange_strong_explicit(&stack, &top, node, memory_order_release,
							    memory_order_relaxed))
			break;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];
	int sum = 0;

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, push, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	for (struct node *node = stack; node; node = node->next)
		sum += node->value;
	assert(sum == N);
	return 0;
}
