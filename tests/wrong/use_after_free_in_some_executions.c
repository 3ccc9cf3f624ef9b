/* The object is freed in one of two executions, and main looks at it in both. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;
static int *p;

static void *first(void *unused)
{
	if (!atomic_load_explicit(&flag, memory_order_relaxed))
		free(p);
	return NULL;
}

static void *second(void *unused)
{
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	p = malloc(sizeof *p);
	*p = 1;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return *p != 1; //~ ERROR[use-after-free]
}
