/* The acquire load reads a relaxed store of a third thread, which does not continue the release sequence. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

static void *sender(void *unused)
{
	data = 42; //~ ERROR[data-race]
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

static void *meddler(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
		atomic_store_explicit(&flag, 2, memory_order_relaxed);
	return NULL;
}

static void *receiver(void *unused)
{
	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		printf("%d\n", data); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, meddler, NULL);
	pthread_create(&c, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
