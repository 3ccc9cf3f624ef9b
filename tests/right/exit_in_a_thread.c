/* The process ends when a thread calls exit, while main waits for it: a complete execution, and no deadlock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;

static void *writer(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *leaves(void *unused)
{
	if (atomic_load_explicit(&x, memory_order_relaxed))
		exit(0);
#ifdef ALWAYS
	exit(1);
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, leaves, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
