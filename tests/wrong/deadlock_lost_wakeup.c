/* The flag is set, and the signal sent, without the mutex: that may happen after the waiter has looked and before it waits. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *receive(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&sent, &lock); //~ ERROR[deadlock]
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	ready = 1;
	pthread_cond_broadcast(&sent);
	pthread_join(thread, NULL); //~ ALSO
	return 0;
}
