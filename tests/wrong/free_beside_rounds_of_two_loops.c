/*
 * A loop in a loop, both of which wait: the rounds of the inner one have read what another thread frees once this one has
 * left them. Relaxed accesses order nothing, so a round of the past races with the free.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int go, left;

static void *waits(void *cell)
{
	while (!atomic_load_explicit(&go, memory_order_relaxed))
		while (!atomic_load_explicit(&go, memory_order_relaxed))
			atomic_load_explicit((atomic_int *)cell, memory_order_relaxed); //~ ERROR[use-after-free]
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

static void *frees(void *cell)
{
	while (!atomic_load_explicit(&left, memory_order_relaxed))
		;
	free(cell); //~ ALSO
	return NULL;
}

static void *starts(void *unused)
{
	atomic_store_explicit(&go, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	atomic_int *cell = malloc(sizeof *cell);

	atomic_init(cell, 0);
	pthread_create(&a, NULL, waits, cell);
	pthread_create(&b, NULL, frees, cell);
	pthread_create(&c, NULL, starts, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
