/* The mutex is destroyed before the flag that tells the other thread to take it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static atomic_int flag;

static void *first(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_acquire))
		pthread_mutex_lock(&mutex); //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_mutex_init(&mutex, NULL);
	pthread_create(&a, NULL, first, NULL);
	pthread_mutex_destroy(&mutex);
	atomic_store_explicit(&flag, 1, memory_order_release);
	pthread_join(a, NULL);
	return 0;
}
