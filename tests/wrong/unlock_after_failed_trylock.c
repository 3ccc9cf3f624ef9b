/* The lock was not taken, and is given back all the same. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *careless(void *unused)
{
	(void)pthread_mutex_trylock(&lock);
	pthread_mutex_unlock(&lock); //~ ERROR[unlock-not-owned]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, holder, NULL);
	pthread_create(&b, NULL, careless, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
