/* The lock is given back one line too early. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *careful(void *unused)
{
	pthread_mutex_lock(&lock);
	x = 1; //~ ERROR[data-race]
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *hasty(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	x = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, careful, NULL);
	pthread_create(&b, NULL, hasty, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
