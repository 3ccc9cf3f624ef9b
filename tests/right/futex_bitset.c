/* Each thread waits for a bit of its own, and each wake is for one of them. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *receive(void *bits)
{
	while (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT_BITSET, 0, NULL, NULL, (unsigned)(uintptr_t)bits);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, receive, (void *)1);
	pthread_create(&b, NULL, receive, (void *)2);
	ready = 1;
	syscall(SYS_futex, &ready, FUTEX_WAKE_BITSET, 1, NULL, NULL, 2);
	syscall(SYS_futex, &ready, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
