/*
 * Two threads stop at something that is not modelled, one of them while it has a mutex. The others go on: what they do wrong
 * is reported, but not that they wait.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

extern void nobody_knows(int);

static atomic_int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *calls(void *unused)
{
	pthread_mutex_lock(&mutex);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	nobody_knows(1);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *assembles(void *unused)
{
	if (atomic_load_explicit(&x, memory_order_relaxed))
		__asm__ volatile("cpuid" ::: "eax", "ebx", "ecx", "edx");
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *looks(void *unused)
{
#ifdef BUG
	assert(!atomic_load_explicit(&y, memory_order_relaxed)); //~ ERROR[assertion]
#endif
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, calls, NULL);
	pthread_create(&threads[1], NULL, assembles, NULL);
	pthread_create(&threads[2], NULL, looks, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
