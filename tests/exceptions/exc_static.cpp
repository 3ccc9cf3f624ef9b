// The initialiser of a static variable throws: the next call tries again.
#include <cassert>
static int tries;
struct Made {
	int n;
	Made()
	{
		if (++tries == 1)
			throw 1;
		n = tries;
	}
};
static int get()
{
	static Made made;
	return made.n;
}
int main()
{
	int caught = 0;
	try {
		get();
	} catch (int) {
		caught++;
	}
	assert(get() == 2 && get() == 2 && caught == 1 && tries == 2);
}
