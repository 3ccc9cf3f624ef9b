/* realloc may have moved the object; the old pointer is dead. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *old = malloc(sizeof *old);
	int *new;

	*old = 1;
	new = realloc(old, 100 * sizeof *old); //~ ALSO
	printf("%d\n", *old); //~ ERROR[use-after-free]
	free(new);
	return 0;
}
