/*
 * A thread looks for a flag, and sleeps until a bell rings if it is not set. It remembers the bell after it has looked at the
 * flag: rung between the two, it sleeps for ever. That its round would be in vain is certain before it sleeps, but this is
 * where it stays.
 * -DRIGHT: it remembers the bell before it looks at the flag.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag, bell;

static void *sleeper(void *unused)
{
	int seen;

	for (;;) {
#ifdef RIGHT
		seen = atomic_load_explicit(&bell, memory_order_acquire);
#endif
		if (atomic_load_explicit(&flag, memory_order_acquire))
			return NULL;
#ifndef RIGHT
		seen = atomic_load_explicit(&bell, memory_order_acquire);
#endif
		while (atomic_load_explicit(&bell, memory_order_acquire) == seen) //~ ERROR[liveness]
			;
	}
}

static void *ringer(void *unused)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_fetch_add_explicit(&bell, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_create(&threads[1], NULL, ringer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
