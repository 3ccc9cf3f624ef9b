/* A wait may end without reason: `if` is not enough. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *receive(void *unused)
{
	if (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0);
	assert(ready); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	ready = 1;
	syscall(SYS_futex, &ready, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
