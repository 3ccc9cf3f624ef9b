/*
 * Attempts in vain, until somebody has looked once and has added 1.
 *
 * One look is enough to notice an attempt: `main` sees it when all have ended. [SAVER] counts looks, and would miss it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int seen;

static void *try(void *unused)
{
	while (atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel) != 1)
		atomic_fetch_sub_explicit(&x, 1, memory_order_acq_rel);
	return NULL;
}

static void *look(void *unused)
{
	seen = atomic_load_explicit(&x, memory_order_acquire);
	atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
	return NULL;
}

int main(void)
{
	pthread_t attempts, observer;

	pthread_create(&attempts, NULL, try, NULL);
	pthread_create(&observer, NULL, look, NULL);
	pthread_join(attempts, NULL);
	pthread_join(observer, NULL);
	assert(seen == 0); //~ ERROR[assertion]
	return 0;
}
