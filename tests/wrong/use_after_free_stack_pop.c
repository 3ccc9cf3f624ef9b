/* A lock-free pop that frees its node while another pop still reads the node's successor. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static struct node *_Atomic top;

static void *pop(void *unused)
{
	struct node *node = atomic_load(&top);

	if (node && atomic_compare_exchange_strong(&top, &node, node->next)) //~ ERROR[use-after-free]
		free(node); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct node *node = malloc(sizeof *node);

	node->next = NULL;
	atomic_init(&top, node);
	pthread_create(&a, NULL, pop, NULL);
	pthread_create(&b, NULL, pop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
