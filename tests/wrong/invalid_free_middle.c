/* free wants the pointer that malloc returned. */
#include <stdlib.h>

int main(void)
{
	char *p = malloc(8);

	free(p + 4); //~ ERROR[invalid-free]
	return 0;
}
