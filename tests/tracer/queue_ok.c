/*
 * queue_ok(N): N threads enter one critical section each. Those of even numbers fill a queue when it is their turn, those
 * of odd numbers empty it.
 *
 * From [Tracer], table 3, with N = 9. The order of the critical sections is all there is: N!.
 */
#include "tracer.h"

#ifndef N
#define N 4
#endif
#define SIZE 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int queue[SIZE], head, tail, amount, stored[SIZE];
static atomic_int may_fill = 1, may_empty;

static void enqueue(int value)
{
	store(&queue[load(&tail)], value);
	store(&amount, load(&amount) + 1);
	store(&tail, (load(&tail) + 1) % SIZE);
}

static int dequeue(void)
{
	int value = load(&queue[load(&head)]);

	store(&amount, load(&amount) - 1);
	store(&head, (load(&head) + 1) % SIZE);
	return value;
}

static void fill(void)
{
	if (!load(&may_fill))
		return;
	for (int i = 0; i < SIZE; i++) {
		enqueue(i + 1);
		store(&stored[i], i + 1);
	}
	store(&may_fill, 0);
	store(&may_empty, 1);
}

static void empty(void)
{
	if (!load(&may_empty))
		return;
	for (int i = 0; i < SIZE; i++)
		store(&stored[i], dequeue());
	store(&may_empty, 0);
	store(&may_fill, 1);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	if ((long)arg % 2 == 0)
		fill();
	else
		empty();
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	start(threads, N, work);
	join(threads, N);
	return 0;
}
