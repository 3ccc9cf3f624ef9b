/* Two threads wait, and one of them is woken up. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WAKES
#define WAKES 1
#endif

static atomic_int ready;

static void *receive(void *unused)
{
	while (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, receive, NULL);
	pthread_create(&b, NULL, receive, NULL);
	ready = 1;
	syscall(SYS_futex, &ready, FUTEX_WAKE, WAKES, NULL, NULL, 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL); //~ ALSO
	return 0;
}
