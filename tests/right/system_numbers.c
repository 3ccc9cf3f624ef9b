/* Numbers that the system gives: the process, the threads, the processors, of which a thread is on either. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *unused)
{
	assert(gettid() != getpid() && gettid() == syscall(SYS_gettid));
	return NULL;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t set;
	unsigned processor = 7, node = 7;

	assert(gettid() == getpid() && getpid() == syscall(SYS_getpid) && getppid() != getpid());
	assert(sysconf(_SC_NPROCESSORS_ONLN) == 2 && sysconf(_SC_PAGESIZE) == 4096 && getpagesize() == 4096);
	assert(sched_getcpu() < 2);
	assert(syscall(SYS_getcpu, &processor, &node, NULL) == 0 && processor < 2 && node == 0);
	assert(sched_getaffinity(0, sizeof set, &set) == 0 && set.__bits[0] == 3 && set.__bits[1] == 0);
	assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
	assert(sched_setaffinity(0, sizeof set, &set) == 0 && syscall(SYS_sched_yield) == 0);
	assert(sched_get_priority_max(SCHED_FIFO) == 99 && sched_getscheduler(0) == SCHED_OTHER);
	pthread_create(&thread, NULL, work, NULL);
	pthread_setname_np(thread, "worker");
	pthread_join(thread, NULL);
	return 0;
}
