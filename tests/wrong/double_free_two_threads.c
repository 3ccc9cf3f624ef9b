/* Both threads think that they own the object. */
#include <pthread.h>
#include <stdlib.h>

static int *object;

static void *clean_up(void *unused)
{
	free(object); //~ ERROR[double-free]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	object = malloc(sizeof *object);
	pthread_create(&a, NULL, clean_up, NULL);
	pthread_create(&b, NULL, clean_up, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
