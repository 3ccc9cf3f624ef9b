/* What main has allocated last is never freed; the first object is, and the second one is still known at the end. */
#include <stdlib.h>

static int *known;

int main(void)
{
	int *freed = malloc(sizeof *freed);
	int *lost;

	known = malloc(sizeof *known);
	free(freed);
	lost = malloc(sizeof *lost); //~ ERROR[leak]
	*lost = *known = 1;
	return 0;
}
