/* The thread frees its argument, and main does it again. */
#include <pthread.h>
#include <stdlib.h>

static void *consume(void *object)
{
	free(object); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int *object = malloc(sizeof *object);

	pthread_create(&thread, NULL, consume, object);
	pthread_join(thread, NULL);
	free(object); //~ ERROR[double-free]
	return 0;
}
