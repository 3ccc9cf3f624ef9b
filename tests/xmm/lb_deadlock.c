/*
 * The threads take their mutexes in different orders only if both have read 1, which needs a cycle.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
	int seen = atomic_load_explicit(&x, memory_order_relaxed);

	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (seen) {
		pthread_mutex_lock(&one);
		pthread_mutex_lock(&other); //~ ERROR[deadlock]
		pthread_mutex_unlock(&other);
		pthread_mutex_unlock(&one);
	}
	return NULL;
}

static void *second(void *unused)
{
	int seen = atomic_load_explicit(&y, memory_order_relaxed);

	atomic_store_explicit(&x, 1, memory_order_relaxed);
	if (seen) {
		pthread_mutex_lock(&other);
		pthread_mutex_lock(&one); //~ ALSO
		pthread_mutex_unlock(&one);
		pthread_mutex_unlock(&other);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
