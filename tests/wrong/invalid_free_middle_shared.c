/* The same with an object that another thread knows. */
#include <pthread.h>
#include <stdlib.h>

static char *shared;

static void *clean_up(void *unused)
{
	free(shared + 1); //~ ERROR[invalid-free]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	shared = malloc(8);
	pthread_create(&thread, NULL, clean_up, NULL);
	pthread_join(thread, NULL);
	return 0;
}
