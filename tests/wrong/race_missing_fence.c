/* The sender has its release fence, the receiver forgot the acquire fence. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

static void *sender(void *unused)
{
	data = 42; //~ ERROR[data-race]
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

static void *receiver(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		printf("%d\n", data); //~ ALSO
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
