/* A stack that frees what it pops after a look with the lock: a tag in the top 16 bits tells a node from another one at the same address. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static _Atomic(uint64_t) head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct node *node_of(uint64_t word)
{
	return (struct node *)(word & 0xffffffffffff);
}

static uint64_t word_of(struct node *node, uint64_t old)
{
	return (uint64_t)node | ((old >> 48) + 1) << 48;
}

static void *pop(void *unused)
{
	pthread_mutex_lock(&mutex);
	uint64_t old = head;
	struct node *next = node_of(old) ? node_of(old)->next : NULL;
	pthread_mutex_unlock(&mutex);
	if (node_of(old))
		atomic_compare_exchange_strong(&head, &old, word_of(next, old));
	return NULL;
}

static void *replace(void *unused)
{
	pthread_mutex_lock(&mutex);
	uint64_t old = atomic_exchange(&head, 0);
	struct node *a = node_of(old);
	if (a && a->next) {
		struct node *b = a->next;
		free(a);
		struct node *c = malloc(sizeof *c);
		c->next = NULL;
		head = word_of(c, old);
		free(b);
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
	head = (uint64_t)a;
	pthread_create(&x, NULL, pop, NULL);
	pthread_create(&y, NULL, replace, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	struct node *h = node_of(head);
	if (h) {
		volatile struct node *next = h->next;
		(void)next;
	}
	return 0;
}
