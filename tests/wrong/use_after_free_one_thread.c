/* The object is gone when it is written. */
#include <stdlib.h>

int main(void)
{
	int *p = malloc(sizeof *p);

	free(p); //~ ALSO
	*p = 1; //~ ERROR[use-after-free]
	return 0;
}
