/* Two threads wait for each other's mutexes. That nobody waits for them makes it no better. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); //~ ERROR[deadlock]
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *second(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); //~ ALSO
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	return 0;
}
