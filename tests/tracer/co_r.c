/*
 * co_r(N): N threads write x twice each, one writes and reads it, and main reads it when they are done.
 *
 * From the test suite of [Tracer]. Up to rf: 2N^2 + N + 1.
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

static void *write_and_read(void *arg)
{
	int id = (int)(long)arg;

	store(&x, id + 1);
	load(&x);
	return NULL;
}

int main(void)
{
	pthread_t write_twice_threads[N], write_and_read_threads[1];

	start(write_twice_threads, N, write_twice);
	start(write_and_read_threads, 1, write_and_read);
	join(write_twice_threads, N);
	join(write_and_read_threads, 1);
	load(&x);
	return 0;
}
