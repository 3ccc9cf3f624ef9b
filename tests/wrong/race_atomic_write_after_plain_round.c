/*
 * A thread that waits for `go` reads `hint` plainly in each round. When it has left the loop it says so, without
 * synchronisation, and another thread then writes `hint`, atomically. The round that is left out when the loop is cut is
 * the one that races.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, gone;
static int hint;

static int wants(int value)
{
	return value == 7;
}

static void *waits(void *unused)
{
	while (!atomic_load_explicit(&go, memory_order_relaxed))
		if (wants(hint)) //~ ERROR[data-race]
			break;
	atomic_store_explicit(&gone, 1, memory_order_relaxed);
	return NULL;
}

static void *writes(void *unused)
{
	atomic_store_explicit(&go, 1, memory_order_relaxed);
	if (atomic_load_explicit(&gone, memory_order_relaxed))
		__atomic_store_n(&hint, 1, __ATOMIC_RELAXED); //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t waiter, writer;

	pthread_create(&waiter, NULL, waits, NULL);
	pthread_create(&writer, NULL, writes, NULL);
	pthread_join(waiter, NULL);
	pthread_join(writer, NULL);
	return 0;
}
