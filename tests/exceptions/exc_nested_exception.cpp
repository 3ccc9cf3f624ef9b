// An exception that holds the one that has led to it.
#include <cassert>
#include <exception>
#include <stdexcept>
static void inner()
{
	throw 3;
}
static void outer()
{
	try {
		inner();
	} catch (...) {
		std::throw_with_nested(std::logic_error("outer"));
	}
}
int main()
{
	int found = 0;
	try {
		outer();
	} catch (const std::logic_error &it) {
		try {
			std::rethrow_if_nested(it);
		} catch (int i) {
			found = i;
		}
	}
	assert(found == 3);
}
