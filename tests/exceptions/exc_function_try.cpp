// A function-try-block of a constructor sees what its members throw, and throws it again at its end.
#include <cassert>
static int seen;
struct Part {
	Part(int n)
	{
		if (n < 0)
			throw n;
	}
};
struct Whole {
	Part part;
	Whole(int n) try : part(n) {
	} catch (int i) {
		seen = i;
	}
};
static int ordinary(int n)
try {
	if (n)
		throw n;
	return 0;
} catch (int i) {
	return -i;
}
int main()
{
	int caught = 0;
	try {
		Whole whole(-3);
	} catch (int i) {
		caught = i;
	}
	assert(seen == -3 && caught == -3);
	assert(ordinary(4) == -4 && ordinary(0) == 0);
}
