/*
 * N relaxed loads of one atomic, in main before there is another thread, or with -DIN_THREAD in a created thread
 * while main waits for it. One execution; the time must grow linearly with N.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4000
#endif

static atomic_int one = 1;
static int sum;

static void *load(void *unused)
{
	int seen = 0;

	for (int i = 0; i < N; i++)
		seen += atomic_load_explicit(&one, memory_order_relaxed);
	sum = seen;
	return NULL;
}

int main(void)
{
#ifdef IN_THREAD
	pthread_t thread;

	pthread_create(&thread, NULL, load, NULL);
	pthread_join(thread, NULL);
#else
	load(NULL);
#endif
	assert(sum == N);
	return 0;
}
