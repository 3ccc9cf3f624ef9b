/* The element before the first. */
#include <stdio.h>

static int before[4], array[4] = {1, 2, 3, 4};

static int at(int i)
{
	return array[i]; //~ ERROR[invalid-access]
}

int main(void)
{
	before[3] = 5;
	printf("%d %d\n", at(0), at(before[3] - 6));
	return 0;
}
