/*
 * alpha1(N): N threads write x, one reads it twice.
 *
 * From the test suite of [Tracer]. Up to rf: N^2 + N + 1.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write(void *arg)
{
	int id = (int)(long)arg;

	store(&x, id + 1);
	return NULL;
}

static void *read_twice(void *arg)
{
	(void)arg;
	load(&x);
	load(&x);
	return NULL;
}

int main(void)
{
	pthread_t write_threads[N], read_twice_threads[1];

	start(write_threads, N, write);
	start(read_twice_threads, 1, read_twice);
	join(write_threads, N);
	join(read_twice_threads, 1);
	return 0;
}
