// An exception leaves a function that must not throw.
#include <stdexcept>
static int ends;
struct Local {
	~Local() { ends++; }
};
static void inner()
{
	Local local;
	throw std::logic_error("not here"); //~ ERROR[uncaught-exception]
}
static void outer() noexcept
{
	inner();
}
int main()
{
	try {
		outer();
	} catch (...) {
	}
}
