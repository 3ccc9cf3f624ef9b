/* The __atomic builtins, generic and not. */
#include <assert.h>
#include <pthread.h>

static int data, flag;

static void *sender(void *unused)
{
	int one = 1;

	data = 42;
	__atomic_store(&flag, &one, __ATOMIC_RELEASE);
	return NULL;
}

static void *receiver(void *unused)
{
	int seen;

	__atomic_load(&flag, &seen, __ATOMIC_ACQUIRE);
	if (seen)
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
	assert(__atomic_exchange_n(&flag, 0, __ATOMIC_SEQ_CST) == 1);
	return 0;
}
