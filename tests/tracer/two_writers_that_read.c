/*
 * two_writers_that_read(N): two threads write x N times each, and then read it.
 *
 * From the test suite of [Tracer]. Up to rf: 2N + 1.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write_and_read(void *arg)
{
	int id = (int)(long)arg;

	for (int i = 1; i <= N; i++)
		store(&x, id * N + i);
	load(&x);
	return NULL;
}

int main(void)
{
	pthread_t write_and_read_threads[2];

	start(write_and_read_threads, 2, write_and_read);
	join(write_and_read_threads, 2);
	return 0;
}
