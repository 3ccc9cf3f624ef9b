/* Five rounds are needed, and fewer are explored: main never ends. With enough of them it does. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *work(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < 5; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	pthread_join(thread, NULL);
	return 0;
}
