/*
 * Random numbers: one sequence of many.
 *
 * Each thread has its own, which starts again from the seed that it sets; all begin with the seed 1. Which numbers come is
 * unspecified in C, so a program that is right with these may be wrong with others: each call makes the verdict `bounded`.
 */

/* Only one value of those that are possible is tried here. */
void __threadbare_sampled(void);

static _Thread_local unsigned seed = 1;

/* A linear congruence has few different low bits: the high ones are taken. */
INLINE int next(unsigned *state)
{
	__threadbare_sampled();
	*state = *state * 1664525u + 1013904223u;
	return (int)((*state >> 16 ^ *state << 15) & INT_MAX);
}

int rand(void)
{
	return next(&seed);
}

void srand(unsigned start)
{
	seed = start;
}

int rand_r(unsigned *state)
{
	return next(state);
}

long random(void)
{
	return next(&seed);
}

void srandom(unsigned start)
{
	seed = start;
}
