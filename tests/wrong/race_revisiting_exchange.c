/* The plain read is ordered with no compare-exchange of the other thread, which sees the flag only relaxed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static union { atomic_int atomic; int plain; } x;
static atomic_int y;

static void *first(void *unused)
{
	int seen = x.plain; //~ ERROR[data-race]
	int zero = 0;

	(void)seen;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_compare_exchange_strong_explicit(&x.atomic, &zero, 1, memory_order_acq_rel, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	int zero = 0;

	if (atomic_load_explicit(&y, memory_order_relaxed))
		atomic_compare_exchange_strong_explicit(&x.atomic, &zero, 2, memory_order_acq_rel, memory_order_relaxed); //~ ALSO
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
