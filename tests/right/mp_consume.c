/* Consume is treated as acquire. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static int *_Atomic pointer;

static void *sender(void *unused)
{
	data = 42;
	atomic_store_explicit(&pointer, &data, memory_order_release);
	return NULL;
}

static void *receiver(void *unused)
{
	int *p = atomic_load_explicit(&pointer, memory_order_consume);

	if (p)
		assert(*p == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
