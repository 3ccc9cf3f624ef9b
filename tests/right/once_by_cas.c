/* Whoever moves the state from 0 to 1 initialises; others use the value only when the state is 2. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int value;

static void *get(void *unused)
{
	int fresh = 0;

	if (atomic_compare_exchange_strong_explicit(&state, &fresh, 1, memory_order_acq_rel, memory_order_acquire)) {
		value = 42;
		atomic_store_explicit(&state, 2, memory_order_release);
	} else if (fresh == 2) {
		assert(value == 42);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
