/* Double-checked locking with an atomic flag. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int value, initialisations;

static void *get(void *unused)
{
	if (!atomic_load_explicit(&ready, memory_order_acquire)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
			value = 42;
			initialisations++;
			atomic_store_explicit(&ready, 1, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(value == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(initialisations == 1);
	return 0;
}
