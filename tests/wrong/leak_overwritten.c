/* Two threads put an object each where there is room for one: the pointer to one of them is overwritten. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) slot;

static void *put(void *unused)
{
	int *object = malloc(sizeof *object); //~ ERROR[leak]

	*object = 1;
	atomic_store(&slot, object);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(atomic_load(&slot));
	return 0;
}
