/* The new node gets the address of the freed one, so the compare-exchange succeeds although the stack has changed, and puts the other freed node back (ABA). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static _Atomic(struct node *) head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Looks with the mutex, swings the head without it. */
static void *pop(void *unused)
{
	pthread_mutex_lock(&mutex);
	struct node *old = head, *next = old ? old->next : NULL;
	pthread_mutex_unlock(&mutex);
	if (old)
		atomic_compare_exchange_strong(&head, &old, next);
	return NULL;
}

/* Pops two nodes, frees both and pushes a new one. */
static void *replace(void *unused)
{
	pthread_mutex_lock(&mutex);
	struct node *a = head;
	if (a) {
		struct node *b = a->next;
		head = NULL;
		free(a);
		struct node *c = malloc(sizeof *c);
		c->next = NULL;
		head = c;
		free(b); //~ ALSO
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
	pthread_t x, y;

	a->next = b;
	b->next = NULL;
	head = a;
	pthread_create(&x, NULL, pop, NULL);
	pthread_create(&y, NULL, replace, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	struct node *h = head;
	if (h) {
		volatile struct node *next = h->next; //~ ERROR[use-after-free]
		(void)next;
	}
	return 0;
}
