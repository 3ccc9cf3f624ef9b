/* The node is never written before it is published, by a release store: its allocation happens before its use. */
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
	struct node *n = malloc(sizeof *n);

	atomic_store_explicit(&shared, n, memory_order_release);
	return NULL;
}

static void *second(void *unused)
{
	struct node *n = atomic_load_explicit(&shared, memory_order_acquire);

	if (n) {
		n->plain = 1;
		atomic_store_explicit(&n->value, 1, memory_order_relaxed);
	}
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
