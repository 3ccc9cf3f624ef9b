/*
 * linuxrwlocks(READERS, WRITERS, BOTH): many readers or one writer. The word has a large number of permits; a reader
 * takes one, a writer all, and who got too few gives them back and waits until there are enough.
 * The reader-writer spinlock of Linux on x86 before 2014. BOTH: threads that read and then write.
 * An attempt that fails writes the word and undoes that (section VI of [SAVER]).
 * -DBUG: a reader gives its permit back without release.
 */
#include "threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef BOTH
#define BOTH 0
#endif
#ifdef BUG
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

#define ALL 0x100000
#define THREADS (READERS + WRITERS + BOTH)

static atomic_int permits = ALL;
static int data;

static void read_lock(void)
{
	while (atomic_fetch_sub_explicit(&permits, 1, memory_order_acquire) <= 0) {
		atomic_fetch_add_explicit(&permits, 1, memory_order_relaxed);
		while (atomic_load_explicit(&permits, memory_order_relaxed) <= 0)
			;
	}
}

static void read_unlock(void)
{
	atomic_fetch_add_explicit(&permits, 1, LEAVE);
}

static void write_lock(void)
{
	while (atomic_fetch_sub_explicit(&permits, ALL, memory_order_acquire) != ALL) {
		atomic_fetch_add_explicit(&permits, ALL, memory_order_relaxed);
		while (atomic_load_explicit(&permits, memory_order_relaxed) != ALL)
			;
	}
}

static void write_unlock(void)
{
	atomic_fetch_add_explicit(&permits, ALL, memory_order_release);
}

static void *reader(void *unused)
{
	read_lock();
	int seen = data; //~ ERROR[data-race]
	read_unlock();
	assert(seen <= WRITERS + BOTH);
	return NULL;
}

static void *writer(void *unused)
{
	write_lock();
	data++; //~ ALSO
	write_unlock();
	return NULL;
}

static void *both(void *unused)
{
	reader(unused);
	return writer(unused);
}

int main(void)
{
	RUN(THREADS, i < WRITERS ? writer : i < WRITERS + READERS ? reader : both, NULL);
	assert(data == WRITERS + BOTH);
	return 0;
}
