/* Happens-before is transitive: a third thread passes the message on. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int first, second;

static void *sender(void *unused)
{
	data = 42;
	atomic_store_explicit(&first, 1, memory_order_release);
	return NULL;
}

static void *relay(void *unused)
{
	if (atomic_load_explicit(&first, memory_order_acquire))
		atomic_store_explicit(&second, 1, memory_order_release);
	return NULL;
}

static void *receiver(void *unused)
{
	if (atomic_load_explicit(&second, memory_order_acquire))
		assert(data == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, relay, NULL);
	pthread_create(&c, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
