/* The object is handed over with relaxed accesses: its free is not ordered after the write to it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *first(void *unused)
{
	int *p = malloc(sizeof *p);

	*p = 1;
	atomic_store_explicit(&shared, p, memory_order_relaxed); //~ ERROR[use-after-free]
	return NULL;
}

static void *second(void *unused)
{
	int *p = atomic_load_explicit(&shared, memory_order_relaxed);

	if (p)
		free(p); //~ ALSO
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
