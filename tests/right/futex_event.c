/* A flag that threads sleep on. A wait that comes too late finds the flag set; one that sleeps is woken up, and the wake says
 * so. Nobody sleeps for ever. */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 1
#endif

static atomic_int ready;
static int message;

static void *receive(void *unused)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		if (syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1)
			assert(errno == EAGAIN);
	assert(message == 42);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];
	long woken;

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, receive, NULL);
	message = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	woken = syscall(SYS_futex, &ready, FUTEX_WAKE_PRIVATE, N, NULL, NULL, 0);
	assert(woken >= 0 && woken <= N);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
