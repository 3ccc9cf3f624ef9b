/* A pointer at an odd offset is followed, too. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct __attribute__((packed)) box {
	char tag;
	int *inner;
};

static _Atomic(struct box *) shared;

static void *first(void *unused)
{
	struct box *box = malloc(sizeof *box);

	box->inner = malloc(sizeof(int));
	*box->inner = 7;
	atomic_store_explicit(&shared, box, memory_order_release);
	return NULL;
}

static void *second(void *unused)
{
	struct box *box = atomic_load_explicit(&shared, memory_order_acquire);

	if (box) {
		assert(*box->inner == 7);
		free(box->inner);
		free(box);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
