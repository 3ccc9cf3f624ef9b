/* The release comes before the allocation: the second thread knows that the first one has started, no more. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	atomic_int value;
	int plain;
};

static _Atomic(struct node *) shared;
static atomic_int started;

static void *first(void *unused)
{
	atomic_store_explicit(&started, 1, memory_order_release);
	struct node *n = malloc(sizeof *n); //~ ERROR[data-race]
	atomic_store_explicit(&shared, n, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	if (!atomic_load_explicit(&started, memory_order_acquire))
		return NULL;
	struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
	if (n)
		n->plain = 1; //~ ALSO
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
