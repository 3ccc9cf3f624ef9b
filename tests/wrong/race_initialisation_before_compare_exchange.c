/*
 * A word is handed over by a relaxed store. The compare-exchange that takes it is ordered after its initialisation by what
 * it reads; the load before it is not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic shared;

static void *maker(void *unused)
{
	atomic_int *word = malloc(sizeof *word);

	atomic_init(word, 0);
	atomic_store_explicit(&shared, word, memory_order_relaxed);
	atomic_fetch_add_explicit(word, 1, memory_order_release);
	return NULL;
}

static void *taker(void *unused)
{
	atomic_int *word = atomic_load_explicit(&shared, memory_order_relaxed);
	int old;

	if (!word)
		return NULL;
	do
		old = atomic_load_explicit(word, memory_order_relaxed); //~ ERROR[data-race]
	while (old != 1 || !atomic_compare_exchange_strong_explicit(word, &old, 2, memory_order_acquire,
								    memory_order_relaxed));
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, maker, NULL);
	pthread_create(&b, NULL, taker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
