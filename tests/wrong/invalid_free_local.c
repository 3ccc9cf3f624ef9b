/* A local was not allocated by malloc. */
#include <stdlib.h>

int main(void)
{
	int local = 1;
	int *p = &local;

	free(p); //~ ERROR[invalid-free]
	return 0;
}
