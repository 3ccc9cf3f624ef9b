/*
 * pthread_demo(K): two threads count up under a mutex, K times each.
 *
 * From [Tracer], table 3. The order of the critical sections is all there is: binomial(2K, K).
 */
#include "tracer.h"

#ifndef K
#define K 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;

static void *count_up(void *arg)
{
	(void)arg;
	for (int k = 0; k < K; k++) {
		pthread_mutex_lock(&lock);
		store(&count, load(&count) + 1);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	start(threads, 2, count_up);
	join(threads, 2);
	return 0;
}
