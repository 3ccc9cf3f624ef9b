/* Message passing by a mutex: two orders of the critical sections. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, ready;

static void *sender(void *unused)
{
	pthread_mutex_lock(&lock);
	data = 42;
	ready = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *receiver(void *unused)
{
	pthread_mutex_lock(&lock);
	if (ready)
		assert(data == 42);
	pthread_mutex_unlock(&lock);
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
