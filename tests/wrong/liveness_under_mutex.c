/* One thread waits, with a mutex that it takes and gives back, for two answers. There is only one. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int answers;

static void *answer(void *unused)
{
	pthread_mutex_lock(&mutex);
	answers++;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int all;

	pthread_create(&thread, NULL, answer, NULL);
	do {
		pthread_mutex_lock(&mutex);
		all = answers == 2;
		pthread_mutex_unlock(&mutex);
	} while (!all); //~ ERROR[liveness]
	pthread_join(thread, NULL);
	return 0;
}
