/* Handlers run at the end, the last one first, and destructors after them. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int step;

static void first(void)
{
	assert(step++ == 1);
}

static void second(void)
{
	assert(step++ == 0);
}

__attribute__((destructor)) static void last(void)
{
	assert(step == 2);
}

static void *add(void *unused)
{
	atexit(second);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	atexit(first);
	pthread_create(&thread, NULL, add, NULL);
	pthread_join(thread, NULL);
	exit(0);
}
