/* Two open questions, four executions. */
#include <assert.h>
#include <threadbare.h>

int main(void)
{
	_Bool a = __VERIFIER_nondet_bool();
	_Bool b = __VERIFIER_nondet_bool();

	assert((a && b) == !(!a || !b));
	return 0;
}
