/* Clocks always show the same: what the program does when time passes is not explored, and the verdict says so. A thread that
 * waits for time to pass never ends. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static void *work(void *unused)
{
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec - before.tv_sec < 10);
#ifdef WAITS
	while (time(NULL) == after.tv_sec)
		;
#endif
	return NULL;
}

int main(void)
{
	pthread_t thread;
#ifdef ALSO
	struct timeval now;

	gettimeofday(&now, NULL);
	assert(now.tv_sec == time(NULL) && clock() > 0 && __builtin_ia32_rdtsc() > 0);
#endif
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
