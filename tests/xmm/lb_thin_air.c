/*
 * The threads copy what they read: 1 is nowhere but in a cycle that justifies itself. XMM forbids it as RC11 does.
 * With -DCONTROL they write only if they have read 1 ([XMM] figure 2.2 and its sections 4.3 and 5.4 have such programs).
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void copy(atomic_int *to, int value)
{
#ifdef CONTROL
	if (value == 1)
		atomic_store_explicit(to, 1, memory_order_relaxed);
#else
	atomic_store_explicit(to, value, memory_order_relaxed);
#endif
}

static void *first(void *unused)
{
	a = atomic_load_explicit(&x, memory_order_relaxed);
	copy(&y, a);
	return NULL;
}

static void *second(void *unused)
{
	b = atomic_load_explicit(&y, memory_order_relaxed);
	copy(&x, b);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(a == 0 && b == 0);
	return 0;
}
