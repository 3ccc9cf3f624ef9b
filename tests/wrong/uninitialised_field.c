/* One field was forgotten. */
#include <stdio.h>
#include <stdlib.h>

struct pair {
	int first, second;
};

int main(void)
{
	struct pair *pair = malloc(sizeof *pair);

	pair->first = 1;
	if (pair->first == pair->second) //~ ERROR[uninitialised-read]
		puts("equal");
	free(pair);
	return 0;
}
