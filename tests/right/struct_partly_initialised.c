/* Copying a field that was never written is allowed, as long as nobody looks at it. */
#include <assert.h>

struct pair {
	int first, second;
};

int main(void)
{
	struct pair a, b;
	struct pair *volatile from = &a;

	from->first = 1;
	b = *from;
	assert(b.first == 1);
	return 0;
}
