/*
 * N increments of a plain global, in main before there is another thread, or with -DIN_THREAD in a created thread
 * while main waits for it. One execution; the time must grow linearly with N.
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4000
#endif

static int counter;

static void *count(void *unused)
{
	for (int i = 0; i < N; i++)
		counter++;
	return NULL;
}

int main(void)
{
#ifdef IN_THREAD
	pthread_t thread;

	pthread_create(&thread, NULL, count, NULL);
	pthread_join(thread, NULL);
#else
	count(NULL);
#endif
	assert(counter == N);
	return 0;
}
