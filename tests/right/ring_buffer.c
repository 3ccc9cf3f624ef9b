/* A ring of two slots between one producer and one consumer, who tries three times. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int slots[2];
static atomic_uint head, tail;

static void *producer(void *unused)
{
	for (unsigned i = 0; i < 2; i++) {
		slots[i % 2] = (int)i + 1;
		atomic_store_explicit(&head, i + 1, memory_order_release);
	}
	return NULL;
}

static void *consumer(void *unused)
{
	int expected = 1;

	for (int attempt = 0; attempt < 3; attempt++) {
		unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);

		if (at == atomic_load_explicit(&head, memory_order_acquire))
			continue;
		assert(slots[at % 2] == expected++);
		atomic_store_explicit(&tail, at + 1, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
