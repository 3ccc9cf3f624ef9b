/* Freed twice through two names. */
#include <stdlib.h>

int main(void)
{
	char *p = malloc(8);
	char *q = p;

	free(p); //~ ALSO
	free(q); //~ ERROR[double-free]
	return 0;
}
