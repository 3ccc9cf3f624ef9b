/* A node that is handed over in an integer, with a mark in its lowest bit: whoever takes the mark off reaches the node. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_uintptr_t head;

static void *publish(void *unused)
{
	int *node = malloc(sizeof *node);

	*node = 5;
	atomic_store_explicit(&head, (uintptr_t)node | 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t publisher;

	pthread_create(&publisher, NULL, publish, NULL);
	uintptr_t marked = atomic_load_explicit(&head, memory_order_acquire);
	if (marked) {
		assert(marked & 1);
		assert(*(int *)(marked & ~(uintptr_t)1) == 5);
		assert(marked >> 48 == 0);
	}
	pthread_join(publisher, NULL);
	free((void *)(head & ~(uintptr_t)1));
	return 0;
}
