/* A weak compare-exchange whose rounds read a plain variable that is never written once there are threads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct queue {
	unsigned mask;
	atomic_uint tail;
};

#ifdef HEAP
static struct queue *queue;
#else
static struct queue the_queue, *const queue = &the_queue;
#endif

static void *claim(void *unused)
{
	unsigned at = atomic_load_explicit(&queue->tail, memory_order_relaxed);

	for (;;) {
		unsigned mask = queue->mask;

		if ((at & mask) == 5)
			return NULL;
		if (atomic_compare_exchange_weak_explicit(&queue->tail, &at, at + 1, memory_order_relaxed,
							  memory_order_relaxed))
			break;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

#ifdef HEAP
	queue = malloc(sizeof *queue);
	atomic_init(&queue->tail, 0);
#endif
	queue->mask = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, claim, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&queue->tail) == 2);
	return 0;
}
