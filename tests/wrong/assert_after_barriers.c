/* Threads meet twice; what is wrong after that can be replayed. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int value;

static void *run(void *own)
{
	if (own)
		value = 1;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	assert(value == 2); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, run, &value);
	pthread_create(&threads[1], NULL, run, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
