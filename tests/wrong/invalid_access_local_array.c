/* A local array is too short by one. */
#include <stdio.h>

static int sum(const int *numbers, int count)
{
	int total = 0;

	for (int i = 0; i < count; i++)
		total += numbers[i]; //~ ERROR[invalid-access]
	return total;
}

int main(void)
{
	int numbers[3] = {1, 2, 3};

	printf("%d\n", sum(numbers, 4));
	return 0;
}
