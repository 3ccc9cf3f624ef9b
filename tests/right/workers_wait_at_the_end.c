/* Threads that wait for work when main returns have done nothing wrong: one sleeps on a condition variable, one waits for
 * a semaphore, and holds the mutex that another one would need for it. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static sem_t jobs;

static void *sleeps(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (1)
		pthread_cond_wait(&work, &mutex);
	return NULL;
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&queue);
	sem_wait(&jobs);
	pthread_mutex_unlock(&queue);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	sem_init(&jobs, 0, 0);
	pthread_create(&threads[0], NULL, sleeps, NULL);
	pthread_create(&threads[1], NULL, waits, NULL);
	pthread_create(&threads[2], NULL, waits, NULL);
	return 0;
}
