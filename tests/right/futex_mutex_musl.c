/* After the default mutex of musl, the C library (Felker, since 2011): the word is 0, OWNED, or OWNED and CONTENDED, and the
 * sleepers are counted beside it. */
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

#define OWNED 1
#define CONTENDED 2

static atomic_int word;
static atomic_int sleepers;

static int try_lock(void)
{
	int old = 0;

	return atomic_compare_exchange_strong_explicit(&word, &old, OWNED, memory_order_acquire, memory_order_relaxed);
}

static void lock(void)
{
	while (!try_lock()) {
		int old = OWNED;

		atomic_fetch_add_explicit(&sleepers, 1, memory_order_relaxed);
		atomic_compare_exchange_strong_explicit(&word, &old, OWNED | CONTENDED, memory_order_relaxed,
							memory_order_relaxed);
		futex_wait(&word, OWNED | CONTENDED);
		atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
	}
}

static void unlock(void)
{
	int somebody = atomic_load_explicit(&sleepers, memory_order_relaxed);
	int old = atomic_exchange_explicit(&word, 0, memory_order_release);

	if (somebody || old & CONTENDED)
		futex_wake(&word);
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
