/* A pool of one worker: it does its job, says so, and waits for the next one when main returns. That is a complete execution. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int job, done;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (!job)
			pthread_cond_wait(&changed, &mutex);
		job = 0;
		done++;
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&mutex);
	job = 1;
	pthread_cond_broadcast(&changed);
	while (!done)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return 0;
}
