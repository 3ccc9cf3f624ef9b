/* A thread waits for a flag that nobody sets, and nobody waits for the thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void *waits(void *unused)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire)) //~ ERROR[liveness]
		;
	return NULL;
}

int main(void)
{
	pthread_t waiter;

	pthread_create(&waiter, NULL, waits, NULL);
	return 0;
}
