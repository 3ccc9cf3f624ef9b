/*
 * Two threads pop from a stack, and one of them frees what it got. The other one may have read the top before that, and
 * looks at the node when it is freed; its compare-exchange then fails, and it would try again.
 * The error is in a round that comes to nothing: whoever leaves the end of such rounds out must not leave this out. Which
 * thread frees makes a difference to the order of exploration.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIRST
#define FREES(thread) ((thread) == 1)
#else
#define FREES(thread) ((thread) == 2)
#endif

struct node {
	struct node *_Atomic below;
};

static struct node *_Atomic top;

static struct node *pop(void)
{
	struct node *old, *below;

	do {
		old = atomic_load_explicit(&top, memory_order_acquire);
		below = atomic_load_explicit(&old->below, memory_order_relaxed); //~ ERROR[use-after-free]
	} while (!atomic_compare_exchange_strong_explicit(&top, &old, below, memory_order_acq_rel,
							  memory_order_relaxed));
	return old;
}

static void *work(void *frees)
{
	struct node *node = pop();

	if (frees)
		free(node); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct node *lower = malloc(sizeof *lower), *upper = malloc(sizeof *upper);

	atomic_init(&lower->below, NULL);
	atomic_init(&upper->below, lower);
	atomic_init(&top, upper);
	pthread_create(&a, NULL, work, FREES(1) ? &a : NULL);
	pthread_create(&b, NULL, work, FREES(2) ? &b : NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
