/* Two assertions fail: one if a weak compare-exchange succeeds, one if it fails spuriously. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int y;
static int result, changed;

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&y, 1, memory_order_relaxed) != 0)
		atomic_fetch_sub_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *exchanges(void *unused)
{
	int one = 1, zero = 0;

	changed = atomic_compare_exchange_weak_explicit(&y, &one, 3, memory_order_relaxed, memory_order_relaxed);
	atomic_compare_exchange_strong_explicit(&y, &zero, 1, memory_order_relaxed, memory_order_relaxed);
	result = one;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, attempts, NULL);
	pthread_create(&b, NULL, exchanges, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!(result == 1 && changed == 0));
	assert(!(result == 1 && changed == 1)); //~ ERROR[assertion]
	return 0;
}
