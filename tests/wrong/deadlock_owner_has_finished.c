/* A thread ends with a mutex that another one waits for. That nobody waits for either makes it no better. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *keeps(void *unused)
{
	pthread_mutex_lock(&mutex); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, keeps, NULL);
	pthread_create(&threads[1], NULL, keeps, NULL);
	return 0;
}
