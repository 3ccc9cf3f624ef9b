/*
 * The first mutex of Drepper, Futexes Are Tricky, 2004: its word counts the attempts, and one that finds 0 has the mutex. Every
 * attempt adds to the word, so that after 2^32 of them it is 0 again while a thread has the mutex. Here they add 2^30 each, and
 * -DSTEP=1 is right with two threads.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef STEP
#define STEP 0x40000000u
#endif
#ifndef N
#define N 3
#endif

static atomic_uint word;
static int counter;

static void lock(void)
{
	unsigned found;

	while ((found = atomic_fetch_add(&word, STEP)) != 0)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, found + STEP, NULL, NULL, 0); //~ ERROR[deadlock]
}

static void unlock(void)
{
	atomic_store(&word, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *unused)
{
	lock();
	counter++;
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL); //~ ALSO
	return 0;
}
