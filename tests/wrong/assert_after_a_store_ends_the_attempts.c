/*
 * The attempts of one thread are in vain until an exchange comes between its addition and its subtraction: 1 + 1, exchanged
 * for 1, minus 1 is 0, and the next addition finds that. Alone it would turn in circles for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int l = 1;

static void *exchanges(void *unused)
{
	atomic_exchange_explicit(&l, 1, memory_order_relaxed);
	return NULL;
}

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&l, 1, memory_order_acquire) != 0)
		atomic_fetch_sub_explicit(&l, 1, memory_order_relaxed);
	assert(0); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

#ifdef REVERSED
	pthread_create(&b, NULL, attempts, NULL);
	pthread_create(&a, NULL, exchanges, NULL);
#else
	pthread_create(&a, NULL, exchanges, NULL);
	pthread_create(&b, NULL, attempts, NULL);
#endif
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
