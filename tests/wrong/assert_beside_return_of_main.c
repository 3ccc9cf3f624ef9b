/* The thread may run before main returns and ends the process. */
#include <assert.h>
#include <pthread.h>

static void *fail(void *unused)
{
	assert(0); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fail, NULL);
	return 0;
}
