/* A mutex that is destroyed must be free. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *unused)
{
	pthread_mutex_lock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold, NULL);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&mutex); //~ ERROR[invalid-access]
	return 0;
}
