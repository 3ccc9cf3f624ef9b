/*
 * mpmc-queue(READERS, WRITERS, BOTH): a queue in a ring of SIZE cells. Each cell has a number that says for which
 * position it may be filled (the position) or emptied (the position and one).
 * Vyukov, Bounded MPMC Queue, 1024cores.net, 2010; here, putting waits for a free cell and taking for a full one. One
 * cell is not enough: a number that says full for one position would say free for the next.
 * Writers put a value of their own, readers take one, BOTH put and then take.
 * -DBUG: a cell is filled without release.
 */
#include "threads.h"

#ifndef READERS
#define READERS 0
#endif
#ifndef WRITERS
#define WRITERS 0
#endif
#ifndef BOTH
#define BOTH 2
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifdef BUG
#define FILL memory_order_relaxed
#else
#define FILL memory_order_release
#endif

#define THREADS (READERS + WRITERS + BOTH)

struct cell {
	atomic_int number;
	int value;
};

static struct cell cells[SIZE];
static atomic_int puts, takes;
/* What thread i, which puts i + 1, has taken. */
static int taken[THREADS];

/* The cell whose turn it is, once it has the wanted number, for us alone. */
static struct cell *reserve(atomic_int *next, int wanted, int *position)
{
	struct cell *cell;
	int mine, number;

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

static void put(int value)
{
	int position;
	struct cell *cell = reserve(&puts, 0, &position);

	cell->value = value; //~ ERROR[data-race]
	atomic_store_explicit(&cell->number, position + 1, FILL);
}

static int take(void)
{
	int position;
	struct cell *cell = reserve(&takes, 1, &position);
	int value = cell->value; //~ ALSO

	atomic_store_explicit(&cell->number, position + SIZE, memory_order_release);
	return value;
}

static void *writer(void *mine)
{
	put((int *)mine - taken + 1);
	return NULL;
}

static void *reader(void *mine)
{
	*(int *)mine = take();
	return NULL;
}

static void *both(void *mine)
{
	writer(mine);
	return reader(mine);
}

int main(void)
{
	int seen[THREADS + 1] = {0};

	for (int i = 0; i < SIZE; i++)
		atomic_init(&cells[i].number, i);
	RUN(THREADS, i < WRITERS ? writer : i < WRITERS + BOTH ? both : reader, &taken[i]);
	for (int i = 0; i < THREADS; i++)
		seen[taken[i]]++;
	for (int i = takes; i < puts; i++)
		seen[cells[i % SIZE].value]++;
	for (int i = 1; i <= WRITERS + BOTH; i++)
		assert(seen[i] == 1);
	return 0;
}
