/* The results of futex calls that need no other thread. */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word = 1, other;

static long futex(int operation, int value, void *limit, unsigned bits)
{
	errno = 0;
	return syscall(SYS_futex, &word, operation, value, limit, &other, bits);
}

int main(void)
{
	struct timespec limit = { 0, 1000 };
	long result;

	assert(futex(FUTEX_WAIT, 0, NULL, 0) == -1 && errno == EAGAIN);
	assert(futex(FUTEX_WAKE, 7, NULL, 0) == 0 && errno == 0);
	result = futex(FUTEX_WAIT, 1, &limit, 0);
	assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
	assert(futex(FUTEX_WAIT_BITSET, 1, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(FUTEX_WAKE_BITSET, 1, NULL, 2) == 0);
	assert(futex(FUTEX_CMP_REQUEUE, 1, (void *)(intptr_t)1, 0) == -1 && errno == EAGAIN);
	assert(futex(FUTEX_CMP_REQUEUE, 1, (void *)(intptr_t)1, 1) == 0);
	assert(futex(FUTEX_REQUEUE, 1, (void *)(intptr_t)1, 0) == 0);
	return 0;
}
