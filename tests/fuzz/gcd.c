/*
 * gcd(A, B): Euclid by two threads. Each lowers its own number by the other one while it is the greater one, until both are equal;
 * who sees an old value of the other sees a greater one, and waits.
 */
#include "../locks/threads.h"

#ifndef A
#define A 3
#endif
#ifndef B
#define B 2
#endif
#ifndef GCD
#define GCD 1
#endif

static atomic_int numbers[2] = {A, B};

static void *lower(void *number)
{
	atomic_int *mine = number, *other = &numbers[mine == &numbers[0]];
	int here, there;

	do {
		here = atomic_load_explicit(mine, memory_order_relaxed);
		there = atomic_load_explicit(other, memory_order_relaxed);
		if (here > there)
			atomic_store_explicit(mine, here - there, memory_order_relaxed);
	} while (here != there);
	return NULL;
}

int main(void)
{
	RUN(2, lower, &numbers[i]);
	assert(numbers[0] == GCD && numbers[1] == GCD);
	return 0;
}
