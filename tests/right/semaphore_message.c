/* A post hands over what was written before it; the wait has nothing to choose: 1 execution. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sent;
static int message;

static void *receive(void *unused)
{
	sem_wait(&sent);
	assert(message == 42);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&sent, 0, 0);
	pthread_create(&thread, NULL, receive, NULL);
	message = 42;
	sem_post(&sent);
	pthread_join(thread, NULL);
	return 0;
}
