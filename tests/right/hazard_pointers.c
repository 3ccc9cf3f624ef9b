/* A stack with hazard pointers: a node that is popped is freed only if nobody has announced to use it, and is allocated again. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

struct node {
	struct node *next;
	int value;
};

static _Atomic(struct node *) head;
static _Atomic(struct node *) hazard[N];

static void push(struct node *node)
{
	struct node *old = head;

	do
		node->next = old;
	while (!atomic_compare_exchange_strong(&head, &old, node));
}

static struct node *pop(int i)
{
	for (;;) {
		struct node *old = head;

		if (!old)
			return NULL;
		atomic_store(&hazard[i], old);
		if (head != old)
			continue;
		struct node *next = old->next;
		if (atomic_compare_exchange_strong(&head, &old, next)) {
			atomic_store(&hazard[i], NULL);
			return old;
		}
	}
}

static void *thread(void *argument)
{
	int i = (int)(long)argument;
	struct node *node = pop(i);

	if (!node)
		return NULL;
	node->value++;
	for (int j = 0; j < N; j++)
		if (j != i && atomic_load(&hazard[j]) == node)
			return NULL; /* it is given up: somebody may look at it */
	free(node);
#ifdef PUSH
	struct node *new = malloc(sizeof *new);
	new->value = 3;
	push(new);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < 2; i++) {
		struct node *node = malloc(sizeof *node);
		node->value = i;
		push(node);
	}
	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
