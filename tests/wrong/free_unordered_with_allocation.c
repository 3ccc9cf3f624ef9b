/* The node is handed over with relaxed accesses: its free is not ordered after its allocation. */
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
	struct node *n = malloc(sizeof *n); //~ ERROR[use-after-free]

	atomic_store_explicit(&shared, n, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);

	free(n); //~ ALSO
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
