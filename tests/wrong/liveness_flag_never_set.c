/* A thread waits for a flag that nobody sets. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int data, flag;

static void *waits(void *unused)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire)) //~ ERROR[liveness]
		;
	return NULL;
}

static void *forgets(void *unused)
{
	atomic_store_explicit(&data, 1, memory_order_relaxed);
#ifdef SETS
	atomic_store_explicit(&flag, 1, memory_order_release);
#endif
	return NULL;
}

int main(void)
{
	pthread_t waiter, other;

	pthread_create(&waiter, NULL, waits, NULL);
	pthread_create(&other, NULL, forgets, NULL);
	pthread_join(other, NULL);
	pthread_join(waiter, NULL); //~ ALSO
	return 0;
}
