/* String literals cannot be written. */
#include <stdio.h>

int main(void)
{
	char *text = "Hello";

	text[0] = 'J'; //~ ERROR[invalid-access]
	puts(text);
	return 0;
}
