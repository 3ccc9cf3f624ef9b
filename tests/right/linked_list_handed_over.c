/* Publishing the head publishes every node behind it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static struct node *_Atomic list;

static void *build(void *unused)
{
	struct node *head = NULL;

	for (int i = 1; i <= 3; i++) {
		struct node *node = malloc(sizeof *node);

		*node = (struct node){i, head};
		head = node;
	}
	atomic_store_explicit(&list, head, memory_order_release);
	return NULL;
}

static void *consume(void *unused)
{
	struct node *node = atomic_exchange_explicit(&list, NULL, memory_order_acquire);
	int sum = 0;

	for (struct node *next; node; node = next) {
		next = node->next;
		sum += node->value;
		free(node);
	}
	assert(sum == 0 || sum == 6);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, build, NULL);
	pthread_create(&b, NULL, consume, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	consume(NULL);
	return 0;
}
