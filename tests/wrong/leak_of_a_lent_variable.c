/* A list hangs off a variable of main that another thread knows, too: when main returns, nothing points to the list. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static void *insert(void *list)
{
	struct node *node = malloc(sizeof *node); //~ ERROR[leak]

	node->next = NULL;
	*(struct node **)list = node;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct node *list = NULL;

	pthread_create(&thread, NULL, insert, &list);
	pthread_join(thread, NULL);
#ifdef EXIT
	exit(0);
#endif
	return 0;
}
