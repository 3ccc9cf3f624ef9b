/* Main waits for a thread that waits for the lock main holds. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
	pthread_mutex_lock(&lock); //~ ALSO
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_mutex_lock(&lock);
	pthread_join(thread, NULL); //~ ERROR[deadlock]
	pthread_mutex_unlock(&lock);
	return 0;
}
