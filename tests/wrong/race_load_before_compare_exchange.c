/*
 * A load that races with a plain write, though the compare-exchange after it, which is all that its thread waits for,
 * does not: it is ordered by what it reads, and values other than that are never explored.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word;

static void *owner(void *unused)
{
	atomic_fetch_add_explicit(&word, 1, memory_order_acq_rel);
	*(int *)&word = 5; //~ ERROR[data-race]
	atomic_store_explicit(&word, 2, memory_order_release);
	return NULL;
}

static void *taker(void *unused)
{
	int old;

	do
		old = atomic_load_explicit(&word, memory_order_relaxed); //~ ALSO
	while (old != 2 || !atomic_compare_exchange_strong_explicit(&word, &old, 3, memory_order_acquire,
								    memory_order_relaxed));
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, taker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
