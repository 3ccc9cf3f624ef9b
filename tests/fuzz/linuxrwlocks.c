/*
 * linuxrwlocks(READERS, WRITERS): tests/locks/linuxrwlocks.c, OPS times for each thread.
 * The reader-writer spinlock of Linux on x86 before 2014.
 * -DBUG: a reader gives its permit back without release.
 */
#include "../locks/threads.h"

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef OPS
#define OPS 1
#endif
#ifdef BUG
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

#define ALL 0x100000

static atomic_int permits = ALL;
static int data;

static void take(int number, int least)
{
	while (atomic_fetch_sub_explicit(&permits, number, memory_order_acquire) < least) {
		atomic_fetch_add_explicit(&permits, number, memory_order_relaxed);
		while (atomic_load_explicit(&permits, memory_order_relaxed) < least)
			;
	}
}

static void *reader(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		take(1, 1);
		int seen = data; //~ ERROR[data-race]
		assert(seen <= WRITERS * OPS);
		atomic_fetch_add_explicit(&permits, 1, LEAVE);
	}
	return NULL;
}

static void *writer(void *unused)
{
	for (int i = 0; i < OPS; i++) {
		take(ALL, ALL);
		data++; //~ ALSO
		atomic_fetch_add_explicit(&permits, ALL, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	RUN(READERS + WRITERS, i < WRITERS ? writer : reader, NULL);
	assert(data == WRITERS * OPS);
	return 0;
}
