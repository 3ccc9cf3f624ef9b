// Handlers for pointers: to a base, to a constant, to anything; a null pointer is taken by all of them.
#include <cassert>
struct First {
	int a = 1;
};
struct Second {
	int b = 2;
};
struct Both : First, Second {};
static Both both;
static int taken(int kind)
{
	try {
		switch (kind) {
		case 0: throw &both;
		case 1: throw (const Both *)&both;
		case 2: throw (int *)&both.a;
		case 3: throw nullptr;
		default: throw &taken;
		}
	} catch (Second *it) {
		return it ? it->b : 40;
	} catch (const Second *it) {
		return it == static_cast<Second *>(&both) ? 3 : -1;
	} catch (const void *it) {
		return it == &both ? 5 : -1;
	} catch (...) {
		return 6;
	}
}
static int deeper()
{
	int x = 1, *p = &x, **q = &p;
	try {
		throw q;
	} catch (const int **) {
		return -1;
	} catch (const int *const *it) {
		return **it;
	}
}
static int by_reference_to_pointer()
{
	try {
		throw &both.b;
	} catch (int *&it) {
		return *it;
	}
}
int main()
{
	assert(taken(0) == 2);
	assert(taken(1) == 3);
	assert(taken(2) == 5);
	assert(taken(3) == 40);
	assert(taken(4) == 6);
	assert(deeper() == 1);
	assert(by_reference_to_pointer() == 2);
}
