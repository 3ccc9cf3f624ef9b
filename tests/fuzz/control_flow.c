/*
 * control_flow(N): N readers of x, N writers of y; x is written only if one thread sees y even before it is written, and
 * another one sees what the first one wrote, and y is even still. Each ROUNDS times.
 * From [Tracer], table 4, with rounds.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int x, y, z;

#define READ(at) atomic_load_explicit(&(at), memory_order_acquire)
#define WRITE(at, value) atomic_store_explicit(&(at), (value), memory_order_release)

static void *reader(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		assert(READ(x) <= ROUNDS);
	return NULL;
}

static void *writer(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++)
		WRITE(y, i);
	return NULL;
}

static void *first(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++)
		if (READ(y) % 2 == 0)
			WRITE(z, i);
	return NULL;
}

static void *second(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++)
		if (READ(z) == i && READ(y) % 2 == 0)
			WRITE(x, i);
	return NULL;
}

int main(void)
{
	RUN(2 * N + 2, i < N ? reader : i < 2 * N ? writer : i == 2 * N ? first : second, NULL);
	return 0;
}
