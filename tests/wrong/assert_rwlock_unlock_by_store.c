/*
 * A read-write lock whose writer unlocks by a store of 0 instead of a subtraction: it loses what a reader has added in an
 * attempt in vain. The reader subtracts that all the same, and the lock is below 0 from then on. With SWAP the threads are
 * created the other way round, which must not matter.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WRITER 100

static atomic_int word;

static void *writer(void *unused)
{
	int free;

	do
		free = 0;
	while (!atomic_compare_exchange_strong_explicit(&word, &free, WRITER, memory_order_acquire,
							memory_order_relaxed));
	atomic_store_explicit(&word, 0, memory_order_release);
	return NULL;
}

static void *reader(void *unused)
{
	while (atomic_fetch_add_explicit(&word, 1, memory_order_acquire) >= WRITER)
		atomic_fetch_sub_explicit(&word, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&word, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

#ifdef SWAP
	pthread_create(&b, NULL, reader, NULL);
	pthread_create(&a, NULL, writer, NULL);
#else
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
#endif
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(atomic_load_explicit(&word, memory_order_relaxed) == 0); //~ ERROR[assertion]
	return 0;
}
