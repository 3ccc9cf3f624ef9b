/* Peterson's algorithm; who may not enter at the first look is of no interest. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int wants[2], turn;
static int counter;
static int ids[2] = {0, 1};

static void *run(void *arg)
{
	int me = *(int *)arg, other = 1 - me;

	atomic_store(&wants[me], 1);
	atomic_store(&turn, other);
	__VERIFIER_assume(!atomic_load(&wants[other]) || atomic_load(&turn) == me);
	counter++;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
