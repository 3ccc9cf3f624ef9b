/* A wait with a time limit ends although no thread wakes it up. */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int ready;

static void *receive(void *unused)
{
	struct timespec limit = { 0, 1000 };

	while (!ready)
		if (syscall(SYS_futex, &ready, FUTEX_WAIT, 0, &limit, NULL, 0) == -1)
			assert(errno == ETIMEDOUT || errno == EAGAIN);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	ready = 1;
	pthread_join(thread, NULL);
	return 0;
}
