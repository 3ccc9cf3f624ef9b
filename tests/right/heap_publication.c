/* A heap object is handed over by release and acquire. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
	int number;
	char text[4];
};

static struct message *_Atomic shared;

static void *publish(void *unused)
{
	struct message *message = malloc(sizeof *message);

	message->number = 42;
	message->text[0] = 'x';
	atomic_store_explicit(&shared, message, memory_order_release);
	return NULL;
}

static void *use(void *unused)
{
	struct message *message = atomic_load_explicit(&shared, memory_order_acquire);

	if (message)
		assert(message->number == 42 && message->text[0] == 'x');
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(atomic_load(&shared));
	return 0;
}
