/* The reader says with a relaxed store that it is done; that does not order its read before the free. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int *object;
static atomic_int done;

static void *reader(void *unused)
{
	printf("%d\n", *object); //~ ERROR[use-after-free]
	atomic_store_explicit(&done, 1, memory_order_relaxed);
	return NULL;
}

static void *owner(void *unused)
{
	if (atomic_load_explicit(&done, memory_order_relaxed))
		free(object); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	object = calloc(1, sizeof *object);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, owner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
