/*
 * co_s(N): N threads write x twice each, one reads and writes it, and main reads it when they are done.
 *
 * From the test suite of [Tracer]. Up to rf: 2N^2 + 2N + 1.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write_twice(void *arg)
{
	int id = (int)(long)arg;

	store(&x, 2 * id + 1);
	store(&x, 2 * id + 2);
	return NULL;
}

static void *read_and_write(void *arg)
{
	int id = (int)(long)arg;

	load(&x);
	store(&x, id + 1);
	return NULL;
}

int main(void)
{
	pthread_t write_twice_threads[N], read_and_write_threads[1];

	start(write_twice_threads, N, write_twice);
	start(read_and_write_threads, 1, read_and_write);
	join(write_twice_threads, N);
	join(read_and_write_threads, 1);
	load(&x);
	return 0;
}
