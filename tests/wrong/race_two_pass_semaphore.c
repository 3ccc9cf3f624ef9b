/* The semaphore lets two pass. */
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int counter;

static void *count(void *unused)
{
	sem_wait(&semaphore);
	counter++; //~ ERROR[data-race]
	sem_post(&semaphore);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&semaphore, 0, 2);
	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
