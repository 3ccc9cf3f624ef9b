/*
 * Memory that is freed, or that something points to at the end: from a variable, from an object that a variable points to,
 * into the middle of the object, with a mark in its lowest bit, by a thread that waits for ever.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int values[4];
};

static struct node *list;
static int *inside;
static atomic_uintptr_t marked;
static sem_t work_to_do;

static void *work(void *unused)
{
	struct node *node = malloc(sizeof *node), *local = calloc(1, sizeof *local);

	node->next = NULL;
	atomic_store_explicit(&marked, (uintptr_t)node | 1, memory_order_release);
	free(local);
	return NULL;
}

static void *wait(void *unused)
{
	int *object = malloc(sizeof *object);

	*object = 1;
	sem_wait(&work_to_do);
	free(object);
	return NULL;
}

int main(void)
{
	pthread_t worker, waiter;

	list = malloc(sizeof *list);
	list->next = malloc(sizeof *list);
	list->next->next = NULL;
	inside = ((struct node *)malloc(sizeof(struct node)))->values + 2;
	sem_init(&work_to_do, 0, 0);
	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&waiter, NULL, wait, NULL);
	pthread_join(worker, NULL);
	return 0;
}
