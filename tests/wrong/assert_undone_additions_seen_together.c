/*
 * Two threads attempt to take a lock that a third one has. Who looks can tell only if both attempts are under way: one of
 * them makes no difference, whichever it is.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owners = 1;

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&owners, 1, memory_order_acquire) != 0)
		atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&owners, 1, memory_order_release);
	return NULL;
}

static void *look(void *unused)
{
	assert(atomic_load_explicit(&owners, memory_order_relaxed) != 3); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, attempts, NULL);
	pthread_create(&b, NULL, attempts, NULL);
	pthread_create(&c, NULL, look, NULL);
	atomic_fetch_sub_explicit(&owners, 1, memory_order_release);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
