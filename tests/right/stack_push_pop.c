/* A Treiber stack: one thread pushes two nodes, the other tries twice to pop one. Nodes are not freed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static struct node nodes[2];
static struct node *_Atomic top;

static void *push(void *unused)
{
	for (int i = 0; i < 2; i++) {
		struct node *old = atomic_load_explicit(&top, memory_order_relaxed);

		nodes[i].value = i + 1;
		do
			nodes[i].next = old;
		while (!atomic_compare_exchange_strong_explicit(&top, &old, &nodes[i], memory_order_release,
														memory_order_relaxed));
	}
	return NULL;
}

static void *pop(void *unused)
{
	for (int i = 0; i < 2; i++) {
		struct node *old = atomic_load_explicit(&top, memory_order_acquire);

		if (old && atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acquire,
														   memory_order_relaxed))
			assert(old->value == 1 || old->value == 2);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, pop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
