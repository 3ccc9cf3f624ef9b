/* Locked once, unlocked twice. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *run(void *unused)
{
	pthread_mutex_lock(&lock);
	x++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&lock); //~ ERROR[unlock-not-owned]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
