/* The node is published by a relaxed store: its first access is not ordered after its allocation, though it is atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	atomic_int value;
	int plain;
};

static _Atomic(struct node *) shared;

static void *first(void *unused)
{
	struct node *n = malloc(sizeof *n); //~ ERROR[data-race]

	atomic_store_explicit(&shared, n, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);

	if (n)
		atomic_store_explicit(&n->value, 1, memory_order_relaxed); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
