/* A reader takes its permit by an addition and gives it back if the writer is there; the writer never leaves. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define WRITER 0x1000

static atomic_int word;

static void *writes(void *unused)
{
	atomic_fetch_add_explicit(&word, WRITER, memory_order_acquire);
#ifdef LEAVES
	atomic_fetch_sub_explicit(&word, WRITER, memory_order_release);
#endif
	return NULL;
}

static void *reads(void *unused)
{
	while (atomic_fetch_add_explicit(&word, 1, memory_order_acquire) >= WRITER)
		atomic_fetch_sub_explicit(&word, 1, memory_order_relaxed); //~ ERROR[liveness]
	atomic_fetch_sub_explicit(&word, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t writer, readers[2];

	pthread_create(&writer, NULL, writes, NULL);
	pthread_create(&readers[0], NULL, reads, NULL);
	pthread_create(&readers[1], NULL, reads, NULL);
	pthread_join(writer, NULL);
	pthread_join(readers[0], NULL); //~ ALSO
	pthread_join(readers[1], NULL);
	return 0;
}
