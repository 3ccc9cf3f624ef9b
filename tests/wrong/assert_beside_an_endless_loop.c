/*
 * An assertion that fails, beside a loop that turns in circles alone: l is stored to, so its rounds are not cut. When that is
 * found out the exploration starts again, and must not forget the assertion.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, l = 1;

static void *reads(void *unused)
{
	assert(atomic_load_explicit(&x, memory_order_relaxed) == 0); //~ ERROR[assertion]
	return NULL;
}

static void *writes(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *stores(void *unused)
{
	atomic_store_explicit(&l, 1, memory_order_relaxed);
	return NULL;
}

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&l, 1, memory_order_relaxed) != 0)
		atomic_fetch_sub_explicit(&l, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[5];
	void *(*functions[5])(void *) = { stores, attempts, reads, writes, stores };

	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, functions[i], NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
