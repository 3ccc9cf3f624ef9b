/* Dekker's entry with sequentially consistent fences between relaxed accesses. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left_wants, right_wants;
static int inside;

static void *left(void *unused)
{
	atomic_store_explicit(&left_wants, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&right_wants, memory_order_relaxed))
		inside = 1;
	return NULL;
}

static void *right(void *unused)
{
	atomic_store_explicit(&right_wants, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&left_wants, memory_order_relaxed))
		inside = 2;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
