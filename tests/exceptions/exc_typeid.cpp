// `typeid` of an object is its dynamic type; that of a null pointer's object is an exception.
#include <cassert>
#include <typeinfo>
struct Base {
	virtual ~Base() {}
};
struct Derived : Base {};
int main()
{
	Derived derived;
	Base base, *pointer = &derived, *null = nullptr;
	assert(typeid(*pointer) == typeid(Derived) && typeid(base) != typeid(Derived));
	assert(typeid(int) == typeid(1) && typeid(int) != typeid(long));
	int failed = 0;
	try {
		failed = typeid(*null) == typeid(Base) ? -1 : -2;
	} catch (const std::bad_typeid &) {
		failed = 1;
	}
	assert(failed == 1);
}
