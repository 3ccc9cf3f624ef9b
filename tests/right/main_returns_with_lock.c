/* The process is gone when main returns: nobody waits for the mutex any more. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_mutex_lock(&mutex);
	pthread_create(&a, NULL, first, NULL);
	return 0;
}
