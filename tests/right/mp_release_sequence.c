/* A relaxed read-modify-write of another thread continues the release sequence. */
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

static void *counter(void *unused)
{
	atomic_fetch_add_explicit(&flag, 10, memory_order_relaxed);
	return NULL;
}

static void *receiver(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_acquire) == 11)
		assert(data == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, counter, NULL);
	pthread_create(&c, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
