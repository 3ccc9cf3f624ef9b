/*
 * A list of N heap nodes, built by one thread and then summed by two others.
 * One execution; the time must grow linearly with N.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2000
#endif

struct node {
	int value;
	struct node *next;
};

static struct node *list;

static void *build(void *unused)
{
	struct node *head = NULL;

	for (int i = 1; i <= N; i++) {
		struct node *node = malloc(sizeof *node);

		node->value = i;
		node->next = head;
		head = node;
	}
	list = head;
	return NULL;
}

static void *sum(void *unused)
{
	long total = 0;

	for (struct node *node = list; node; node = node->next)
		total += node->value;
	assert(total == (long)N * (N + 1) / 2);
	return NULL;
}

int main(void)
{
	pthread_t builder, readers[2];

	pthread_create(&builder, NULL, build, NULL);
	pthread_join(builder, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, sum, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	for (struct node *node = list, *next; node; node = next) {
		next = node->next;
		free(node);
	}
	return 0;
}
