/* A wait without the mutex. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;

static void *receive(void *unused)
{
	pthread_cond_wait(&sent, &lock); //~ ERROR[unlock-not-owned]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	pthread_join(thread, NULL);
	return 0;
}
