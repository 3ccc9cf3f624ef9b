/* The third mutex of Drepper, Futexes Are Tricky, 2004; with -DSECOND the second one. Its word is 0 if it is free, 1 if it is
 * taken, 2 if a thread may sleep. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

static void futex_wait(atomic_int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static atomic_int word;

#ifdef SECOND
static int compare_exchange(int expected, int new)
{
	atomic_compare_exchange_strong_explicit(&word, &expected, new, memory_order_acquire, memory_order_acquire);
	return expected;
}

static void lock(void)
{
	int found = compare_exchange(0, 1);

	if (found == 0)
		return;
	do {
		if (found == 2 || compare_exchange(1, 2) != 0)
			futex_wait(&word, 2);
	} while ((found = compare_exchange(0, 2)) != 0);
}
#else
static void lock(void)
{
	int found = 0;

	if (atomic_compare_exchange_strong_explicit(&word, &found, 1, memory_order_acquire, memory_order_acquire))
		return;
	if (found != 2)
		found = atomic_exchange_explicit(&word, 2, memory_order_acquire);
	while (found != 0) {
		futex_wait(&word, 2);
		found = atomic_exchange_explicit(&word, 2, memory_order_acquire);
	}
}
#endif

static void unlock(void)
{
	if (atomic_fetch_sub_explicit(&word, 1, memory_order_release) != 1) {
		atomic_store_explicit(&word, 0, memory_order_release);
		futex_wake(&word);
	}
}

static int counter;

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
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
