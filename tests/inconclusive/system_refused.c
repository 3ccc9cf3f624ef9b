/* What the system does and is not modelled stops where it is reached. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WHICH
#define WHICH 0
#endif

static int word;

static void handle(int signal)
{
}

int main(void)
{
	struct pollfd input = { .fd = 0 };
	struct sigaction action = { .sa_handler = handle };
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	switch (WHICH) {
	case 0:
		return syscall(SYS_membarrier, 8, 0, 0);
	case 1:
		return syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	case 2:
		return poll(&input, 1, 0);
	case 3:
		return sigaction(SIGINT, &action, NULL);
	case 4:
		return munmap(p, 4096);
	case 5:
		return mprotect(p, 8192, PROT_NONE);
	case 6:
		return sysconf(_SC_OPEN_MAX) < 0;
	default:
		return mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 0, 0) == NULL;
	}
}
