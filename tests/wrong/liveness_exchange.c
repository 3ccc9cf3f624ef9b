/* A lock by exchange that is not released on one of two ways out: every exchange to come finds it taken. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken, count;

static void *work(void *unused)
{
	while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)) //~ ERROR[liveness]
		;
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
