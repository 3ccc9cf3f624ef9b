/*
 * N_writers_a_reader(N): N threads write x, one reads it.
 *
 * From [Tracer], table 4. Executions: N+1 up to rf, (N+1)! up to co.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

#define READ(at) atomic_load_explicit(&(at), memory_order_acquire)
#define WRITE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)

static void *writer(void *unused)
{
	WRITE(x, 1);
	return NULL;
}

static void *reader(void *unused)
{
	(void)READ(x);
	return NULL;
}

int main(void)
{
	pthread_t threads[N + 1];
	int n = 0;

	for (int i = 0; i < N; i++)
		pthread_create(&threads[n++], NULL, writer, NULL);
	pthread_create(&threads[n++], NULL, reader, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
