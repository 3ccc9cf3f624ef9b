/* An object is allocated for each attempt, and only the last one is used. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static _Atomic(struct node *) top;

static void *push(void *unused)
{
	struct node *node, *seen;

	do {
		node = malloc(sizeof *node); //~ ERROR[leak]
		seen = atomic_load_explicit(&top, memory_order_acquire);
		node->next = seen;
	} while (!atomic_compare_exchange_strong_explicit(&top, &seen, node, memory_order_acq_rel, memory_order_relaxed));
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, push, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
