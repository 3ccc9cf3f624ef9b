/* The thread has ended or not; if it has, it is joined, and all that it did is seen. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static int done;

static void *work(void *unused)
{
	done = 1;
	return &done;
}

int main(void)
{
	struct timespec limit = { 0, 0 };
	pthread_t thread;
	void *result;
	int error;

	pthread_create(&thread, NULL, work, NULL);
#ifdef SPINS
	while (pthread_tryjoin_np(thread, &result))
		;
	return !done;
#endif
	error = pthread_tryjoin_np(thread, &result);
	assert(error == 0 || error == EBUSY);
	if (error) {
		error = pthread_timedjoin_np(thread, &result, &limit);
		assert(error == 0 || error == ETIMEDOUT);
	}
	if (error)
		pthread_join(thread, &result);
	assert(done && result == &done);
	return 0;
}
