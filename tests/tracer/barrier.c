/*
 * barrier(N, L): N readers and a writer meet at a barrier, where each looks at most L times whether all are there.
 *
 * From [Tracer], table 7: 31944 = 4! * 11^3 for N = 3, L = 10.
 */
#include "tracer.h"

#ifndef N
#define N 3
#endif
#ifndef L
#define L 10
#endif

static atomic_int waiting, step, x;

static _Bool await(int old_step)
{
	for (int i = 0; i < L; i++)
		if (load(&step) != old_step)
			return 1;
	return 0;
}

static _Bool meet(void)
{
	int old_step = load(&step);

	if (atomic_fetch_add_explicit(&waiting, 1, memory_order_acq_rel) != N)
		return await(old_step);
	store(&waiting, 0);
	atomic_fetch_add_explicit(&step, 1, memory_order_acq_rel);
	return 1;
}

static void *write_x(void *arg)
{
	(void)arg;
	store(&x, 1);
	meet();
	return NULL;
}

static void *read_x(void *arg)
{
	(void)arg;
	if (meet())
		load(&x);
	return NULL;
}

int main(void)
{
	pthread_t readers[N], writer[1];

	start(writer, 1, write_x);
	start(readers, N, read_x);
	join(writer, 1);
	join(readers, N);
	return 0;
}
