/* Destructors run in the order of their priorities, the highest first, after main or exit. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int stage, result;

__attribute__((destructor)) static void first(void)
{
	assert(stage++ == 1 && result == 5);
}

__attribute__((destructor(200))) static void second(void)
{
	assert(stage++ == 2);
}

__attribute__((destructor(101))) static void last(void)
{
	assert(stage == 3);
}

static void *run(void *unused)
{
	result = 5;
	return NULL;
}

static void leave(void)
{
#ifdef EXIT
	exit(1);
#endif
}

int main(void)
{
	pthread_t thread;

	assert(stage == 0);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	stage = 1;
	leave();
	return 0;
}
