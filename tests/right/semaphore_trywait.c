/* The attempt comes before the post or after: 2 executions. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sent;
static int message;

static void *receive(void *unused)
{
	if (sem_trywait(&sent) == 0)
		assert(message == 42);
	else
		assert(errno == EAGAIN);
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
