/*
 * co_2_2w(N): N threads write x twice each, and main reads it when they are done.
 *
 * From the test suite of [Tracer]. Up to rf: N.
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

int main(void)
{
	pthread_t write_twice_threads[N];

	start(write_twice_threads, N, write_twice);
	join(write_twice_threads, N);
	load(&x);
	return 0;
}
