/*
 * ticket_mutex(N, L): N threads take a ticket and look at most L times whether it is their turn.
 *
 * From [Tracer], table 7: 4026 for N = 3, L = 10.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif
#ifndef L
#define L 10
#endif

static atomic_int next_ticket, serving;

static _Bool await(int ticket)
{
	for (int i = 0; i < L; i++)
		if (load(&serving) == ticket)
			return 1;
	return 0;
}

static void *enter(void *arg)
{
	(void)arg;
	if (await(atomic_fetch_add_explicit(&next_ticket, 1, memory_order_acq_rel)))
		store(&serving, load(&serving) + 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	start(threads, N, enter);
	join(threads, N);
	return 0;
}
