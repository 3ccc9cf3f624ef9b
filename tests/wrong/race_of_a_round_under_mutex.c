/*
 * A load under a mutex races with a write that the same thread brings about after its loop. The loop is left without that
 * load: so the round that makes it is not left out.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;
static int data;

static void *writer(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	if (atomic_load_explicit(&y, memory_order_relaxed))
		data = 1; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int seen = 0;

	pthread_create(&thread, NULL, writer, NULL);
	while (!atomic_load_explicit(&x, memory_order_relaxed)) {
		pthread_mutex_lock(&mutex);
		seen = data; //~ ALSO
		pthread_mutex_unlock(&mutex);
	}
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	pthread_join(thread, NULL);
	return seen;
}
