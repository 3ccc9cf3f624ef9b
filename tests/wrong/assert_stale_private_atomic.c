/* Both stores are made before anybody knows the address, but nothing orders them with the reader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(atomic_int *) shared;

static void *first(void *unused)
{
	atomic_int *p = calloc(1, sizeof *p);

	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(p, 1, memory_order_relaxed);
	atomic_store_explicit(&shared, p, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	atomic_int *p = atomic_load_explicit(&shared, memory_order_relaxed);

	atomic_thread_fence(memory_order_acquire);
	if (p)
		assert(atomic_load_explicit(p, memory_order_relaxed) == 1); //~ ERROR[assertion]
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
