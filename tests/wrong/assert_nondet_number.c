/* The number may be negative. */
#include <assert.h>
#include <threadbare.h>

int main(void)
{
	int n = __VERIFIER_nondet_int();
	int room = n > 1 ? 1 : n;

	assert(room >= 0); //~ ERROR[assertion]
	return 0;
}
