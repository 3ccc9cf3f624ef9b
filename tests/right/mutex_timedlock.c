/* Whoever comes second gets the mutex in time or not: 2 * 2 executions, as with trylock. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
	struct timespec limit = { 1, 0 };
	int error = pthread_mutex_timedlock(&lock, &limit);

	assert(error == 0 || error == ETIMEDOUT);
	if (!error) {
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter >= 1);
	return 0;
}
