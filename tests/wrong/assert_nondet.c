/* Wrong for one of the inputs. */
#include <assert.h>
#include <threadbare.h>

int main(void)
{
	int first = __VERIFIER_nondet_bool();
	int second = __VERIFIER_nondet_bool();

	assert(first + second < 2); //~ ERROR[assertion]
	return 0;
}
