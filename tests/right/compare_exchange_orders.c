/* A compare-exchange that fails acquires what it read. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *sender(void *unused)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

static void *receiver(void *unused)
{
	int expected = 2;

	assert(!atomic_compare_exchange_strong_explicit(&flag, &expected, 3, memory_order_acq_rel, memory_order_acquire));
	if (expected == 1)
		assert(data == 42);
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
