/* A global was not allocated by malloc. */
#include <pthread.h>
#include <stdlib.h>

static int global;

static void *clean_up(void *pointer)
{
	free(pointer); //~ ERROR[invalid-free]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, clean_up, &global);
	pthread_join(thread, NULL);
	return 0;
}
