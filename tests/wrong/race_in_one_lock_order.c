/* The two writes are ordered by the lock if the first section comes first. The other order leaves them unordered, and no read tells
 * the two orders apart. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *before(void *unused)
{
	value = 1; //~ ERROR[data-race]
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *after(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	value = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, before, NULL);
	pthread_create(&b, NULL, after, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
