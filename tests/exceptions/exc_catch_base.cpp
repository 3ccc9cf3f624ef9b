// A handler for a base takes what is derived from it: by reference with its dynamic type, by value without.
#include <cassert>
struct Base {
	int x = 1;
	virtual int kind() const { return 1; }
	virtual ~Base() {}
};
struct Derived : Base {
	int y = 2;
	int kind() const override { return 2; }
};
static int by_reference()
{
	try {
		throw Derived();
	} catch (const Base &it) {
		return it.kind();
	}
}
static int by_value()
{
	try {
		throw Derived();
	} catch (Base it) {
		return it.kind();
	}
}
int main()
{
	assert(by_reference() == 2);
	assert(by_value() == 1);
}
