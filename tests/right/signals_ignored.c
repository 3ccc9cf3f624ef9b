/* No signal ever comes: masks change nothing, and a signal may be ignored. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>

int main(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct timespec moment = { 0, 1 };
	sigset_t set, before;
	jmp_buf place;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	assert(pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && sigprocmask(SIG_SETMASK, &before, NULL) == 0);
	assert(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	assert(sigaction(SIGPIPE, &ignore, &old) == 0 && old.sa_handler == SIG_DFL);
	assert(poll(NULL, 0, 10) == 0 && select(0, NULL, NULL, NULL, NULL) == 0);
	assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL) == 0);
	assert(setjmp(place) == 0 && pthread_atfork(NULL, NULL, NULL) == 0);
	return 0;
}
