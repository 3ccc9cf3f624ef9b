/* A heap object is handed over by a relaxed store: its contents may be missed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int *_Atomic shared;

static void *publish(void *unused)
{
	int *object = malloc(sizeof *object);

	*object = 42;
	atomic_store_explicit(&shared, object, memory_order_relaxed);
	return NULL;
}

static void *use(void *unused)
{
	int *object = atomic_load_explicit(&shared, memory_order_acquire);

	if (object)
		printf("%d\n", *object); //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(atomic_load(&shared));
	return 0;
}
