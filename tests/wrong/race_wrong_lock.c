/* Both threads lock, but not the same mutex. */
#include <pthread.h>

static pthread_mutex_t here = PTHREAD_MUTEX_INITIALIZER, there = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *unused)
{
	pthread_mutex_lock(&here);
	x++; //~ ERROR[data-race]
	pthread_mutex_unlock(&here);
	return NULL;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&there);
	x++; //~ ALSO
	pthread_mutex_unlock(&there);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
