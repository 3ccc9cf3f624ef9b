/* The address of a local outlives its block. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int *_Atomic shared;

static void *lend(void *unused)
{
	{
		int local = 42;

		atomic_store_explicit(&shared, &local, memory_order_release);
	}
	return NULL;
}

static void *use(void *unused)
{
	int *p = atomic_load_explicit(&shared, memory_order_acquire);

	if (p)
		printf("%d\n", *p); //~ ERROR[use-after-free]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, lend, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
