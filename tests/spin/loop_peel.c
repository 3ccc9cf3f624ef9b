/*
 * LOOP-PEEL of [SAVER], section I: two ways to wait for 0. In the second the loop's first load comes before the loop;
 * merging the two loads makes it the same as the first.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 1;

static void *first(void *unused)
{
	int a;

	do {
		a = atomic_load_explicit(&x, memory_order_relaxed);
	} while (a != 0);
	return NULL;
}

static void *second(void *unused)
{
	int b = atomic_load_explicit(&x, memory_order_relaxed);

	while (b != 0)
		b = atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	atomic_store_explicit(&x, 0, memory_order_relaxed);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
