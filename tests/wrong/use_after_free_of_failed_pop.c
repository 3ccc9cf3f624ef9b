/*
 * Counted reclamation: a thread that pops counts itself in, and frees what it got if it is alone. It has looked at the node of
 * an attempt that failed before it counts itself out; if that is relaxed, the other thread's free is not ordered after the look.
 * The rounds that succeed, or find the stack empty, never touch a node of somebody else's: the race is in a round that is
 * left out of executions in which its thread comes to the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef LEAVE
#define LEAVE memory_order_relaxed
#endif

struct node {
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) head;
static atomic_int in_pop;

static void *popper(void *unused)
{
	struct node *old, *next;

	atomic_fetch_add_explicit(&in_pop, 1, memory_order_acquire);
	old = atomic_load_explicit(&head, memory_order_acquire);
	do {
		if (!old)
			break;
		next = atomic_load_explicit(&old->next, memory_order_relaxed); //~ ERROR[use-after-free]
	} while (!atomic_compare_exchange_strong_explicit(&head, &old, next, memory_order_acq_rel, memory_order_acquire));
	if (old && atomic_fetch_add_explicit(&in_pop, 0, memory_order_acq_rel) == 1)
		free(old); //~ ALSO
	atomic_fetch_sub_explicit(&in_pop, 1, LEAVE);
	return NULL;
}

int main(void)
{
	struct node *n = malloc(sizeof *n);
	pthread_t a, b;

	atomic_init(&n->next, NULL);
	atomic_init(&head, n);
	pthread_create(&a, NULL, popper, NULL);
	pthread_create(&b, NULL, popper, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
