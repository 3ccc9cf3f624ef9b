// A handler of `std::terminate` may end the program as it likes.
#include <cstdlib>
#include <exception>
static void handler()
{
	std::_Exit(std::current_exception() ? 0 : 1);
}
int main()
{
	std::set_terminate(handler);
	throw 1;
}
