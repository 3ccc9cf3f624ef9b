/* A thread that runs on for ever and does nothing that others see; the others are explored all the same. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;

static void *turns(void *unused)
{
	unsigned rounds = 0;

	atomic_store_explicit(&y, 1, memory_order_relaxed);
	while (1)
		rounds++;
	return NULL;
}

static void *writes(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *reads(void *unused)
{
	int seen = atomic_load_explicit(&x, memory_order_relaxed);

#ifdef BUG
	assert(!(seen && atomic_load_explicit(&y, memory_order_relaxed))); //~ ERROR[assertion]
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, turns, NULL);
	pthread_create(&b, NULL, reads, NULL);
	pthread_create(&c, NULL, writes, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	pthread_join(a, NULL);
	return 0;
}
