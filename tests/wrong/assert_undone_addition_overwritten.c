/*
 * A subtraction undoes an addition only if nobody stores in between: the attempt makes 1 a 2, the store makes it 1 again, the
 * subtraction 0, and the next attempt succeeds. With STORES_LAST the thread that stores is created last, which must not matter.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int z = 1;

static void *stores(void *unused)
{
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return NULL;
}

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&z, 1, memory_order_relaxed) != 0)
		atomic_fetch_sub_explicit(&z, 1, memory_order_relaxed);
	assert(0); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

#ifdef STORES_LAST
	pthread_create(&b, NULL, attempts, NULL);
	pthread_create(&a, NULL, stores, NULL);
#else
	pthread_create(&a, NULL, stores, NULL);
	pthread_create(&b, NULL, attempts, NULL);
#endif
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
