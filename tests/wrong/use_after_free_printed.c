/* printf reads the strings that its format asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char *name = malloc(4);

	memcpy(name, "bob", 4);
	free(name);
	printf("%d: %s\n", 1, name); //~ ERROR[use-after-free]
	return 0;
}
