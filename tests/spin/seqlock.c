/*
 * seqlock: a writer, and N readers that read again if the writer was at work. A round of a reader leaves no trace.
 * -DWEAK: the reader's last look at the sequence number is not ordered after its reads.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif

static atomic_int sequence, a, b;

static void *write_both(void *unused)
{
	int s = atomic_load_explicit(&sequence, memory_order_relaxed);

	atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, s + 2, memory_order_release);
	return NULL;
}

static void *read_both(void *unused)
{
	int s, x, y;

	do {
		s = atomic_load_explicit(&sequence, memory_order_acquire);
		x = atomic_load_explicit(&a, memory_order_relaxed);
		y = atomic_load_explicit(&b, memory_order_relaxed);
#ifndef WEAK
		atomic_thread_fence(memory_order_acquire);
#endif
	} while (s % 2 != 0 || s != atomic_load_explicit(&sequence, memory_order_relaxed));
	assert(x == y); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t writer, readers[N];

	pthread_create(&writer, NULL, write_both, NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&readers[i], NULL, read_both, NULL);
	pthread_join(writer, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(readers[i], NULL);
	return 0;
}
