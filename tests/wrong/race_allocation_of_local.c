/* The life of the local variable begins without any order with its use by another thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	atomic_int value;
	int plain;
};

static _Atomic(struct node *) shared;
static atomic_int done;

static void *first(void *unused)
{
	struct node n; //~ ERROR[data-race]

	atomic_store_explicit(&shared, &n, memory_order_relaxed);
	while (!atomic_load_explicit(&done, memory_order_acquire))
		;
	return NULL;
}

static void *second(void *unused)
{
	struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);

	if (n)
		atomic_store_explicit(&n->value, 1, memory_order_relaxed); //~ ALSO
	atomic_store_explicit(&done, 1, memory_order_release);
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
