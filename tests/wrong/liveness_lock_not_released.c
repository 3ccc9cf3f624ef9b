/* A spinlock that is not released on one of two ways out. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken, count;

static void lock(void)
{
	int free = 0;

	while (!atomic_compare_exchange_strong(&taken, &free, 1)) //~ ERROR[liveness]
		free = 0;
}

static void *work(void *unused)
{
	lock();
	if (atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) == 1)
		return NULL;
	atomic_store_explicit(&taken, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
