/*
 * mpmc(N): tests/locks/mpmc_queue.c; N threads put and take one value after the other, OPS times each, and what they
 * take adds up.
 * Vyukov, Bounded MPMC Queue, 1024cores.net, 2010; putting waits for a free cell and taking for a full one.
 * -DBUG: a cell is filled without release.
 */
#include "../locks/threads.h"

#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifdef BUG
#define FILL memory_order_relaxed
#else
#define FILL memory_order_release
#endif

struct cell {
	atomic_uint number;
	unsigned value;
};

static struct cell cells[SIZE];
static atomic_uint puts, takes;
static unsigned sums[N];

/* The cell whose turn it is, once it has the wanted number, for us alone. */
static struct cell *reserve(atomic_uint *next, unsigned wanted, unsigned *position)
{
	struct cell *cell;
	unsigned mine, number;

	do {
		mine = atomic_load_explicit(next, memory_order_relaxed);
		cell = &cells[mine % SIZE];
		number = mine + wanted;
	} while (atomic_load_explicit(&cell->number, memory_order_acquire) != number ||
		 !atomic_compare_exchange_strong_explicit(next, &mine, mine + 1, memory_order_relaxed,
							  memory_order_relaxed));
	*position = mine;
	return cell;
}

static void put(unsigned value)
{
	unsigned position;
	struct cell *cell = reserve(&puts, 0, &position);

	cell->value = value; //~ ERROR[data-race]
	atomic_store_explicit(&cell->number, position + 1, FILL);
}

static unsigned take(void)
{
	unsigned position;
	struct cell *cell = reserve(&takes, 1, &position);
	unsigned value = cell->value; //~ ALSO

	atomic_store_explicit(&cell->number, position + SIZE, memory_order_release);
	return value;
}

static void *work(void *mine)
{
	unsigned sum = 0;

	for (unsigned i = 1; i <= OPS; i++) {
		put(i);
		sum += take();
	}
	*(unsigned *)mine = sum;
	return NULL;
}

int main(void)
{
	unsigned all = 0, wanted = 0;

	for (unsigned i = 0; i < SIZE; i++)
		atomic_init(&cells[i].number, i);
	RUN(N, work, &sums[i]);
	for (int i = 0; i < N; i++)
		all += sums[i];
	for (unsigned i = 1; i <= OPS; i++)
		wanted += N * i;
	assert(all == wanted);
	return 0;
}
