/* Text that is too long for the memory that it is written to: found at the call. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char *small = malloc(5);

	sprintf(small, "%d", 12345); //~ ERROR[invalid-access]
	free(small);
	return 0;
}
