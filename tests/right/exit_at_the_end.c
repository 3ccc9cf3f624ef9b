/* exit ends the program where it is called. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int done;

static void *run(void *unused)
{
	done = 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	if (done)
		exit(0);
	assert(0);
}
