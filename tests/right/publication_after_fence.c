/* The write to the object is before the fence, the publication of its address after it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *first(void *unused)
{
	int *p = malloc(sizeof *p);

	*p = 1;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&shared, p, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	int *p = atomic_load_explicit(&shared, memory_order_relaxed);

	if (p) {
		atomic_thread_fence(memory_order_acquire);
		assert(*p == 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
