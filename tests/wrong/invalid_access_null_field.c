/* A field of a struct that is not there. */
#include <stdlib.h>

struct node {
	long value;
	struct node *next;
};

int main(void)
{
	struct node *node = calloc(1, sizeof *node);

	node->next->next = NULL; //~ ERROR[invalid-access]
	free(node);
	return 0;
}
