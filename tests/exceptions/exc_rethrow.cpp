// `throw;` throws the same object again, with its dynamic type and with what a handler has changed.
#include <cassert>
struct Base {
	int n = 0;
	virtual ~Base() {}
};
struct Derived : Base {};
static void inner()
{
	try {
		throw Derived();
	} catch (Base &it) {
		it.n++;
		throw;
	}
}
static void again()
{
	throw;
}
static void middle()
{
	try {
		inner();
	} catch (Base &it) {
		it.n++;
		again();
	}
}
int main()
{
	int n = 0;
	try {
		middle();
	} catch (Derived &it) {
		n = it.n;
	}
	assert(n == 2);
}
