/*
 * The rounds of a loop try to get a semaphore that nobody gives up, until they are told to stop. Then another thread frees it:
 * relaxed accesses do not order that after the attempts, which are rounds that are left out.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int stop, left;

static void *waits(void *semaphore)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		if (!sem_trywait(semaphore)) //~ ERROR[use-after-free]
			break;
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

static void *ends(void *semaphore)
{
	while (!atomic_load_explicit(&left, memory_order_relaxed))
		;
	free(semaphore); //~ ALSO
	return NULL;
}

static void *stops(void *unused)
{
	atomic_store_explicit(&stop, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	sem_t *semaphore = malloc(sizeof *semaphore);

	sem_init(semaphore, 0, 0);
	pthread_create(&a, NULL, waits, semaphore);
	pthread_create(&b, NULL, ends, semaphore);
	pthread_create(&c, NULL, stops, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
