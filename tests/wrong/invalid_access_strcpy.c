/* A string that is too long for where it is copied to: found at the call. */
#include <string.h>

static const char *text = "too long";

int main(void)
{
	char small[4];

	strcpy(small, text); //~ ERROR[invalid-access]
	return small[0];
}
