/* The waiter finds the message at once; or it waits, and then wakes up or its time is over, each before the message is sent
 * or after: 5 executions. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;
static int ready;

static void *receive(void *unused)
{
	struct timespec limit = { 1, 0 };

	pthread_mutex_lock(&lock);
	if (!ready) {
		int error = pthread_cond_timedwait(&sent, &lock, &limit);
		assert(error == 0 || error == ETIMEDOUT);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&sent);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
