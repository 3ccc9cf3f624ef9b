/* Whoever drops the last reference frees the object. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int references;
	int value[2];
};

static void release(struct object *object)
{
	if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
		free(object);
}

static void *first(void *object)
{
	((struct object *)object)->value[0] = 1;
	release(object);
	return NULL;
}

static void *second(void *object)
{
	((struct object *)object)->value[1] = 2;
	release(object);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct object *object = malloc(sizeof *object);

	atomic_init(&object->references, 2);
	pthread_create(&a, NULL, first, object);
	pthread_create(&b, NULL, second, object);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
