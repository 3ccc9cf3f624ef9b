/* Who comes first: the waiter waits or need not, 2 executions. A wake-up before the message is sent leads back to the same
 * wait, and is left out. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;
static int ready, message;

static void *receive(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&sent, &lock);
	assert(message == 42);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	pthread_mutex_lock(&lock);
	message = 42;
	ready = 1;
	pthread_cond_signal(&sent);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&sent);
	return 0;
}
