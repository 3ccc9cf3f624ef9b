/* A seqlock with atomic data: a reader that sees the same even version twice has a consistent pair. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int version, left, right;

static void *writer(void *unused)
{
	atomic_store_explicit(&version, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	atomic_store_explicit(&right, 1, memory_order_relaxed);
	atomic_store_explicit(&version, 2, memory_order_release);
	return NULL;
}

static void *reader(void *unused)
{
	int before = atomic_load_explicit(&version, memory_order_acquire);
	int l = atomic_load_explicit(&left, memory_order_relaxed);
	int r = atomic_load_explicit(&right, memory_order_relaxed);

	atomic_thread_fence(memory_order_acquire);
	if (before % 2 == 0 && atomic_load_explicit(&version, memory_order_relaxed) == before)
		assert(l == r);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
