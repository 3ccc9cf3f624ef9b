/*
 * Attempts that are always in vain, and a thread that looks twice.
 *
 * ZNE-OBS of [SAVER]: the attempts have no net effect, but they can be noticed. What the second look finds is 0 again.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *try_in_vain(void *unused)
{
	while (atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel) != 42)
		atomic_fetch_sub_explicit(&x, 1, memory_order_acq_rel);
	return NULL;
}

static void *look(void *unused)
{
	if (atomic_load_explicit(&x, memory_order_acquire))
		assert(atomic_load_explicit(&x, memory_order_acquire)); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t attempts, observer;

	pthread_create(&attempts, NULL, try_in_vain, NULL);
	pthread_create(&observer, NULL, look, NULL);
	return 0;
}
