// A handler by value gets a copy; the first handler of the right type is the one.
#include <cassert>
static int thrown(int kind)
{
	try {
		if (kind == 0)
			throw 7;
		if (kind == 1)
			throw 2.5;
		if (kind == 2)
			throw 'c';
		return 0;
	} catch (char c) {
		return c;
	} catch (int i) {
		return i;
	} catch (double d) {
		return d == 2.5 ? 25 : -1;
	}
}
int main()
{
	assert(thrown(0) == 7);
	assert(thrown(1) == 25);
	assert(thrown(2) == 'c');
	assert(thrown(3) == 0);
}
