/* One of N threads initialises, the others wait for it and see what it did, without an order among them: N executions. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void)
{
	initialised++;
}

static void *run(void *unused)
{
	pthread_once(&once, initialise);
	assert(initialised == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
