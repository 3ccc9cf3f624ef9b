/* Random numbers are one sequence of many: what is right with it is not proved. */
#include <assert.h>
#include <stdlib.h>

int main(void)
{
	unsigned seed = 1;

	srand(42);
	for (int i = 0; i < 10; i++)
		assert(rand() >= 0 && rand_r(&seed) <= RAND_MAX);
	return 0;
}
