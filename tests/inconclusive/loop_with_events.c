/*
 * A thread counts for ever. What the others do wrong is reported, but not that they wait for each other: in an execution with
 * a thread that was stopped in the middle nothing is known about waiting.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *counts(void *unused)
{
	while (1)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *forth(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *back(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
#ifdef BUG
	assert(!atomic_load_explicit(&y, memory_order_relaxed)); //~ ERROR[assertion]
#endif
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, counts, NULL);
	pthread_create(&threads[1], NULL, forth, NULL);
	pthread_create(&threads[2], NULL, back, NULL);
	return 0;
}
