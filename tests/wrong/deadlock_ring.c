/* Three philosophers, each with the left fork in hand. */
#include <pthread.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int seats[3] = {0, 1, 2};

static void *eat(void *seat)
{
	int left = *(int *)seat, right = (left + 1) % 3;

	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]); //~ ERROR[deadlock]
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, eat, &seats[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
