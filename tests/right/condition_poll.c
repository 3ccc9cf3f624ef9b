/* Each attempt has a critical section of its own, and a wait at its end: as condition_loop, 2 executions, but that the mutex is
 * taken once more after the wait; the thread that sends comes before all of it, after the first section, or between the
 * wake-up and the next attempt: 3. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;
static int ready;

static void *receive(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		if (ready)
			break;
		pthread_cond_wait(&sent, &lock);
		pthread_mutex_unlock(&lock);
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
