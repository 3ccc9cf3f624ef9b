/* A destructor runs at the end of the thread, and so at the same time as what others do. */
#include <pthread.h>

static pthread_key_t key;
static int shared;

static void destroy(void *value)
{
	*(int *)value = 1; //~ ERROR[data-race]
}

static void *run(void *unused)
{
	pthread_setspecific(key, &shared);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, run, NULL);
	shared = 2; //~ ALSO
	pthread_join(thread, NULL);
	return 0;
}
