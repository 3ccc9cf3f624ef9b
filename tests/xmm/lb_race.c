/*
 * Both threads write `data` only if both have read 1, which needs a cycle.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int data;

static void *first(void *unused)
{
	int seen = atomic_load_explicit(&x, memory_order_relaxed);

	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (seen)
		data = 1; //~ ERROR[data-race]
	return NULL;
}

static void *second(void *unused)
{
	int seen = atomic_load_explicit(&y, memory_order_relaxed);

	atomic_store_explicit(&x, 1, memory_order_relaxed);
	if (seen)
		data = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
