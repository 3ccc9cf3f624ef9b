/* malloc does not clear. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *p = malloc(sizeof *p);

	if (*p) //~ ERROR[uninitialised-read]
		puts("not zero");
	free(p);
	return 0;
}
