/*
 * chase-lev(THIEVES): a deque of tasks. Its owner puts and takes at the bottom, thieves steal from the top.
 * Chase and Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005, in the C11 form of Lê, Pop, Cohen and Zappa Nardelli,
 * Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013; without growing.
 * The owner puts TASKS and takes TAKES; each thief steals until it has one or there is none.
 * -DBUG: the owner's fence is not SC. It takes a task from the bottom without having seen that thieves came near.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef TASKS
#define TASKS 2
#endif
#ifndef TAKES
#define TAKES 1
#endif
#ifdef BUG
#define BEFORE_TOP memory_order_acq_rel
#else
#define BEFORE_TOP memory_order_seq_cst
#endif

#define NONE (-1)
#define LOST (-2)

static atomic_int top, bottom;
static atomic_int deque[TASKS];
static int work[TASKS];
/* How often each task was done, and by whom: thieves, then the owner. */
static int done[THIEVES + 1][TASKS];

static void put(int task)
{
	int end = atomic_load_explicit(&bottom, memory_order_relaxed);

	atomic_store_explicit(&deque[end], task, memory_order_relaxed);
	/* A release store would not do since C++20: a thief may read what take() writes to the bottom afterwards. */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
}

static int advance_top(int begin)
{
	return atomic_compare_exchange_strong_explicit(&top, &begin, begin + 1, memory_order_seq_cst,
						       memory_order_relaxed);
}

static int take(void)
{
	int end = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	int begin, task;

	atomic_store_explicit(&bottom, end, memory_order_relaxed);
	atomic_thread_fence(BEFORE_TOP);
	begin = atomic_load_explicit(&top, memory_order_relaxed);
	if (begin < end)
		return atomic_load_explicit(&deque[end], memory_order_relaxed);
	task = NONE;
	/* The last one: whoever advances the top has it. */
	if (begin == end && advance_top(begin))
		task = atomic_load_explicit(&deque[end], memory_order_relaxed);
	atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
	return task;
}

static int steal(void)
{
	int begin, end, task;

	begin = atomic_load_explicit(&top, memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst);
	end = atomic_load_explicit(&bottom, memory_order_acquire);
	if (begin >= end)
		return NONE;
	task = atomic_load_explicit(&deque[begin], memory_order_relaxed);
	return advance_top(begin) ? task : LOST;
}

static void do_task(int task, int *mine)
{
	if (task != NONE)
		mine[task] += work[task];
}

static void *thief(void *mine)
{
	int task;

	do
		task = steal();
	while (task == LOST);
	do_task(task, mine);
	return NULL;
}

static void *owner(void *mine)
{
	for (int i = 0; i < TASKS; i++) {
		work[i] = 1;
		put(i);
	}
	for (int i = 0; i < TAKES; i++)
		do_task(take(), mine);
	return NULL;
}

int main(void)
{
	pthread_t threads[THIEVES + 1];
	int left = 0;

	for (int i = 0; i <= THIEVES; i++)
		pthread_create(&threads[i], NULL, i < THIEVES ? thief : owner, done[i]);
	for (int i = 0; i <= THIEVES; i++)
		pthread_join(threads[i], NULL);
	for (int task = 0; task < TASKS; task++) {
		int times = 0;

		for (int i = 0; i <= THIEVES; i++)
			times += done[i][task];
		assert(times <= 1); //~ ERROR[assertion]
		left += !times;
	}
	/* Who is told that there is none may be wrong by then, but no task is lost. */
	assert(left == bottom - top);
	return 0;
}
