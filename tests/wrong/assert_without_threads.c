/* No threads at all: an ordinary bug. */
#include <assert.h>

static int gcd(int a, int b)
{
	return b == 0 ? a : gcd(b, a % b);
}

int main(void)
{
	assert(gcd(48, 36) == 6); //~ ERROR[assertion]
	return 0;
}
