/*
 * The rounds of a loop try to get a lock that nobody gives up, until they are told to stop. Then another thread destroys it:
 * relaxed accesses do not order that after the attempts, which are rounds that are left out.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int stop, left;

static void *waits(void *lock)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		if (!pthread_rwlock_trywrlock(lock)) //~ ERROR[data-race]
			break;
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

static void *ends(void *lock)
{
	while (!atomic_load_explicit(&left, memory_order_relaxed))
		;
	pthread_rwlock_destroy(lock); //~ ALSO
	return NULL;
}

static void *stops(void *unused)
{
	atomic_store_explicit(&stop, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	pthread_rwlock_rdlock(&lock);
	pthread_create(&a, NULL, waits, &lock);
	pthread_create(&b, NULL, ends, &lock);
	pthread_create(&c, NULL, stops, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
