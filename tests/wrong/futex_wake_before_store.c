/* The wake comes before the store: a thread that has read the old value sleeps for ever. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *receive(void *unused)
{
	while (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, receive, NULL);
	syscall(SYS_futex, &ready, FUTEX_WAKE, 1, NULL, NULL, 0);
	ready = 1;
	pthread_join(thread, NULL); //~ ALSO
	return 0;
}
