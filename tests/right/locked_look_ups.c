/* READERS threads look something up under one lock, WRITERS change it there. Each order of the writers is an execution, and
 * each reader is somewhere among them: up to rf, with the order of sections left open, WRITERS! * (WRITERS + 1)^READERS executions;
 * with an order of all sections, (READERS + WRITERS)!. */
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value, found[READERS + WRITERS];

static void *run(void *number)
{
	long own = (long)number;

	pthread_mutex_lock(&mutex);
	found[own] = value;
	if (own >= READERS)
		value++;
	pthread_mutex_unlock(&mutex);
	assert(found[own] <= WRITERS);
	return NULL;
}

int main(void)
{
	pthread_t threads[READERS + WRITERS];

	for (long i = 0; i < READERS + WRITERS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert(value == WRITERS);
	return 0;
}
