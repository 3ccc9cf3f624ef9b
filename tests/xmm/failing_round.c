/*
 * A round that fails for certain justifies one that does not. If the first thread reads 0 from z, it takes the x that the
 * last thread expects, and the round of that one fails. But with y = 1 there, the last thread may read 1 from y early, and
 * then write z first: now the first thread reads 1, leaves x alone, and the round succeeds.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z, q;
static int a, d, e;

static void *take(void *unused)
{
	a = atomic_load_explicit(&z, memory_order_relaxed);
	(void)atomic_load_explicit(&q, memory_order_relaxed);
	if (a == 0)
		atomic_exchange_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *race(void *unused)
{
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&q, 1, memory_order_relaxed);
	return NULL;
}

static void *update(void *unused)
{
	int found, value, expected;

	do {
		found = expected = atomic_load_explicit(&x, memory_order_acquire);
		value = atomic_load_explicit(&y, memory_order_relaxed);
	} while (!atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_relaxed,
							  memory_order_relaxed));
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	d = found;
	e = value;
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, take, NULL);
	pthread_create(&threads[1], NULL, race, NULL);
	pthread_create(&threads[2], NULL, update, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(a == 0 || d != 0 || e == 0); //~ ERROR[assertion]
	return 0;
}
