/*
 * Sigma(N): main counts to N and creates a thread each time, which writes the element of an array that the counter says.
 *
 * From [Tracer], table 3. Executions: N! up to rf.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int counter = -1;
static atomic_int array[N];

#define READ(at) atomic_load_explicit(&(at), memory_order_acquire)
#define WRITE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)

static void *set(void *unused)
{
	WRITE(array[READ(counter)], 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++) {
		WRITE(counter, READ(counter) + 1);
		pthread_create(&threads[i], NULL, set, NULL);
	}
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
