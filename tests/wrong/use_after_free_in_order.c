/* Well synchronised, and too late all the same. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int *object;
static atomic_int freed;

static void *owner(void *unused)
{
	free(object); //~ ALSO
	atomic_store_explicit(&freed, 1, memory_order_release);
	return NULL;
}

static void *reader(void *unused)
{
	if (atomic_load_explicit(&freed, memory_order_acquire))
		printf("%d\n", *object); //~ ERROR[use-after-free]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	object = calloc(1, sizeof *object);
	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
