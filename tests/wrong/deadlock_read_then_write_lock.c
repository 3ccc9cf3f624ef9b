/* A reader that wants to write waits for itself. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_wrlock(&lock); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL); //~ ALSO
	return 0;
}
