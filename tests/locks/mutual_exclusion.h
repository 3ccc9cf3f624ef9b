/*
 * The client of a lock: N threads do their work, which is to count inside the lock, OPS times each. Included where the lock
 * is complete. PLACE is what a thread is given, an expression in its number `i`.
 */
#ifndef MUTUAL_EXCLUSION_H
#define MUTUAL_EXCLUSION_H

#include "threads.h"

#ifndef OPS
#define OPS 1
#endif
#ifndef PLACE
#define PLACE NULL
#endif

static int counter;

static void *work(void *place);

int main(void)
{
	RUN(N, work, PLACE);
	assert(counter == N * OPS);
	return 0;
}

#endif
