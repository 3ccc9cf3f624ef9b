/* A thread-local variable ends with its thread. */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine;

static void *run(void *unused)
{
	mine = 3;
	return &mine;
}

int main(void)
{
	pthread_t thread;
	void *theirs;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, &theirs);
	assert(*(int *)theirs == 3); //~ ERROR[use-after-free]
	return 0;
}
