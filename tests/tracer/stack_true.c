/*
 * stack_true(SIZE): one thread pushes SIZE times onto a stack under a mutex, another one pops as often, if it can.
 *
 * From [Tracer], table 3. The order of the critical sections is all there is: binomial(2 SIZE, SIZE).
 */
#include "tracer.h"

#ifndef SIZE
#define SIZE 4
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int top, stack[SIZE];

static void *push(void *arg)
{
	(void)arg;
	for (int i = 0; i < SIZE; i++) {
		pthread_mutex_lock(&lock);
		store(&stack[load(&top)], i + 1);
		store(&top, load(&top) + 1);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *pop(void *arg)
{
	(void)arg;
	for (int i = 0; i < SIZE; i++) {
		pthread_mutex_lock(&lock);
		if (load(&top) > 0) {
			store(&top, load(&top) - 1);
			load(&stack[load(&top)]);
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t pusher[1], popper[1];

	start(pusher, 1, push);
	start(popper, 1, pop);
	join(pusher, 1);
	join(popper, 1);
	return 0;
}
