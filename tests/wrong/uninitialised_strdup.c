/* A string without an end: found at the call. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char text[4];

	text[0] = 'a';
	free(strdup(text)); //~ ERROR[uninitialised-read]
	return 0;
}
