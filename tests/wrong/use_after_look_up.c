/* Two threads look the node up under the lock and use it after that; a third one takes it out of the table and frees it. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *node;

static void *use(void *unused)
{
	int *found;

	pthread_mutex_lock(&mutex);
	found = node;
	pthread_mutex_unlock(&mutex);
	return found && *found != 1 ? (void *)1 : NULL; //~ ERROR[use-after-free]
}

static void *remove_it(void *unused)
{
	int *found;

	pthread_mutex_lock(&mutex);
	found = node;
	node = NULL;
	pthread_mutex_unlock(&mutex);
	free(found); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	node = malloc(sizeof *node);
	*node = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, (void *)(long)i);
	pthread_create(&threads[2], NULL, remove_it, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
