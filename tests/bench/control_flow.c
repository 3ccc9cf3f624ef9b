/*
 * Control_flow(N): N readers of x, N writers of y; x is written only if one thread sees y before it is written, and
 * another one sees what the first one wrote, and y is still not written.
 *
 * From [Tracer], table 4. Executions: 2^N + 2N + 1 up to rf.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x, y, z;

#define READ(at) atomic_load_explicit(&(at), memory_order_acquire)
#define WRITE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)

static void *reader(void *unused)
{
	(void)READ(x);
	return NULL;
}

static void *writer(void *unused)
{
	WRITE(y, 1);
	return NULL;
}

static void *first(void *unused)
{
	if (READ(y) == 0)
		WRITE(z, 1);
	return NULL;
}

static void *second(void *unused)
{
	if (READ(z) == 1 && READ(y) == 0)
		WRITE(x, 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2 * N + 2];
	int n = 0;

	for (int i = 0; i < N; i++)
		pthread_create(&threads[n++], NULL, reader, NULL);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[n++], NULL, writer, NULL);
	pthread_create(&threads[n++], NULL, first, NULL);
	pthread_create(&threads[n++], NULL, second, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
