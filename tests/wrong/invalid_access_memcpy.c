/* The copy is longer than its target. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char source[8] = "1234567";
	char *target = malloc(4);

	memcpy(target, source, sizeof source); //~ ERROR[invalid-access]
	free(target);
	return 0;
}
