/* One element too far. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *array = calloc(4, sizeof *array);

	for (int i = 0; i <= 4; i++)
		printf("%d\n", array[i]); //~ ERROR[invalid-access]
	free(array);
	return 0;
}
