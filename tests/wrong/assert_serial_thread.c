/* Which thread is the serial one is open: it need not be the last one that was created. Looking at the result only to
 * find errors does not decide it either. */
#include <assert.h>
#include <pthread.h>

#ifndef LAST
#define LAST 1
#endif

static pthread_barrier_t barrier;
static int serial = -1;

static void *run(void *number)
{
	int result = pthread_barrier_wait(&barrier);

	if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD)
		return NULL;
	result = pthread_barrier_wait(&barrier);
	if (result == PTHREAD_BARRIER_SERIAL_THREAD)
		serial = (int)(long)number;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(serial == LAST); //~ ERROR[assertion]
	return 0;
}
