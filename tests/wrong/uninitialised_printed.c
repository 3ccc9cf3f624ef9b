/* A string that was never written has no end. */
#include <stdio.h>

int main(void)
{
	char text[8];

	fputs(text, stderr); //~ ERROR[uninitialised-read]
	return 0;
}
