/* The current object is replaced by compare-exchange, while each thread holds a reference to the one that it expects: its address cannot come back as long as it does. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int references;
	int value;
};

static _Atomic(struct object *) current;

static struct object *new_object(int references, int value)
{
	struct object *object = malloc(sizeof *object);

	atomic_init(&object->references, references);
	object->value = value;
	return object;
}

static void release(struct object *object)
{
	if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
		free(object);
}

static void *replace(void *argument)
{
	struct object *mine = argument, *expected = mine;
	struct object *next = new_object(1, mine->value + 1);

	if (atomic_compare_exchange_strong(&current, &expected, next)) {
		release(mine); /* the reference of `current` */
	} else {
		assert(next != mine);
		release(next);
	}
	release(mine);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct object *first = new_object(3, 0);

	atomic_init(&current, first);
	pthread_create(&a, NULL, replace, first);
	pthread_create(&b, NULL, replace, first);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(current->value == 1);
	return 0;
}
