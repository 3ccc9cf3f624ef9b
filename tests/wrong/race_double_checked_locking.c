/* Double-checked locking with a plain flag: the check outside the lock races with the write inside. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *get(void *unused)
{
	if (ready) //~ ERROR[data-race]
		return NULL;
	pthread_mutex_lock(&lock);
	if (!ready)
		ready = 1; //~ ALSO
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
