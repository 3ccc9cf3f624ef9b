/* A semaphore as a lock: N critical sections in any order, N! executions, and who waits makes none that is blocked. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 3
#endif

static sem_t semaphore;
static int counter;

static void *count(void *unused)
{
	sem_wait(&semaphore);
	counter++;
	sem_post(&semaphore);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];
	int value;

	sem_init(&semaphore, 0, 1);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	sem_getvalue(&semaphore, &value);
	assert(value == 1);
	sem_destroy(&semaphore);
	return 0;
}
