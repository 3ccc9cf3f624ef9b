/* Two waits, one of which finds nothing. */
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *run(void *unused)
{
	sem_wait(&semaphore); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&semaphore, 0, 1);
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
