/*
 * rwlock(READERS, WRITERS): many readers or one writer, in one word that counts the readers and has a bit for the writer.
 * The problem is of Courtois, Heymans and Parnas, Concurrent Control with "Readers" and "Writers", CACM 1971 (readers
 * first); the word is the simplest lock of Mellor-Crummey and Scott, PPoPP 1991.
 * -DBUG: a reader leaves without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifdef BUG
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

#define WRITER 0x1000

static atomic_int word;
static int left, right;

static void read_lock(void)
{
	int old;

	do
		old = atomic_load_explicit(&word, memory_order_relaxed);
	while (old & WRITER || !atomic_compare_exchange_strong_explicit(&word, &old, old + 1, memory_order_acquire,
									memory_order_relaxed));
}

static void read_unlock(void)
{
	atomic_fetch_sub_explicit(&word, 1, LEAVE);
}

static void write_lock(void)
{
	int free;

	do
		free = 0;
	while (!atomic_compare_exchange_strong_explicit(&word, &free, WRITER, memory_order_acquire,
							memory_order_relaxed));
}

static void write_unlock(void)
{
	atomic_fetch_sub_explicit(&word, WRITER, memory_order_release);
}

static void *writer(void *unused)
{
	write_lock();
	left++; //~ ERROR[data-race]
	right++;
	write_unlock();
	return NULL;
}

static void *reader(void *unused)
{
	read_lock();
	assert(left == right); //~ ALSO
	read_unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[READERS + WRITERS];

	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, NULL);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert(left == WRITERS && right == WRITERS);
	return 0;
}
