// A dynamic exception specification lets its types pass.
#include <cassert>
struct Base {
	virtual ~Base() {}
};
struct Derived : Base {};
static void listed(int kind) throw(int, Base)
{
	if (kind)
		throw Derived();
	throw 3;
}
int main()
{
	int caught = 0;
	try {
		listed(0);
	} catch (int i) {
		caught += i;
	}
	try {
		listed(1);
	} catch (Base &) {
		caught += 10;
	}
	assert(caught == 13);
}
