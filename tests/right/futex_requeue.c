/* Two threads wait on one word. One is woken up, the other one is moved to another word and woken up there. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready, other;

static void *receive(void *unused)
{
	while (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, receive, NULL);
	pthread_create(&b, NULL, receive, NULL);
	ready = 1;
	syscall(SYS_futex, &ready, FUTEX_CMP_REQUEUE, 1, (void *)(intptr_t)INT_MAX, &other, 1);
	syscall(SYS_futex, &other, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
