/* The loop stops one element too early. */
#include <stdio.h>

static int last(const int *array, int length)
{
	return array[length - 1] == 3; //~ ERROR[uninitialised-read]
}

int main(void)
{
	int array[4];

	for (int i = 0; i < 3; i++)
		array[i] = i;
	if (last(array, 4))
		puts("three");
	return 0;
}
