/* One element too far, in an object that both threads know. */
#include <pthread.h>
#include <stdlib.h>

static int *array;

static void *fill(void *unused)
{
	for (int i = 0; i <= 4; i++)
		array[i] = i; //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	array = malloc(4 * sizeof *array);
	pthread_create(&thread, NULL, fill, NULL);
	pthread_join(thread, NULL);
	free(array);
	return 0;
}
