/*
 * A round is cut as soon as it is known that it will not leave the loop, before the rest of what it accesses is seen. If
 * another thread frees something later and a round of the past may race with that, it is not known what is lost: no verdict.
 * Without cutting, the race is found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int go, left;
static atomic_int *cells[2];

static void *waits(void *unused)
{
	atomic_int *freed = cells[0], *kept = cells[1];

	while (!atomic_load_explicit(&go, memory_order_relaxed)) {
		atomic_load_explicit(freed, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_load_explicit(kept, memory_order_relaxed);
		atomic_load_explicit(freed, memory_order_relaxed); //~ ERROR[use-after-free]
	}
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

static void *frees(void *unused)
{
	while (!atomic_load_explicit(&left, memory_order_acquire))
		;
	free(cells[0]); //~ ALSO
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

	for (int i = 0; i < 2; i++) {
		cells[i] = malloc(sizeof *cells[i]);
		atomic_init(cells[i], 0);
	}
	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, frees, NULL);
	pthread_create(&c, NULL, starts, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
