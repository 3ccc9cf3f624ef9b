/* Atomic data, but relaxed: the flag may arrive before it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag;

static void *sender(void *unused)
{
	atomic_store_explicit(&data, 42, memory_order_relaxed);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

static void *receiver(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		assert(atomic_load_explicit(&data, memory_order_relaxed) == 42); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
