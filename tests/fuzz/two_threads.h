/*
 * The client of mutual exclusion for two threads, the FIRST number and the next: their work is to count inside, OPS times each.
 * Included where `enter` and `leave` are complete.
 */
#include "../locks/threads.h"

static int counter;
static int numbers[3] = {0, 1, 2};

static void *work(void *number);

int main(void)
{
	RUN(2, work, &numbers[i + FIRST]);
	assert(counter == 2 * OPS);
	return 0;
}
