/* A weak compare-exchange may fail although nobody else is there. */
#include <assert.h>
#include <stdatomic.h>

static atomic_int owner;

int main(void)
{
	int nobody = 0;
	_Bool taken = atomic_compare_exchange_weak(&owner, &nobody, 1);

	assert(taken); //~ ERROR[assertion]
	return 0;
}
