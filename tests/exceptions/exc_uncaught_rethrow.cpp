// A handler throws the exception again, and nobody else takes it.
#include <stdexcept>
static void inner()
{
	throw std::runtime_error("first"); //~ ERROR[uncaught-exception]
}
int main()
{
	try {
		inner();
	} catch (const std::exception &) {
		throw; //~ ALSO
	}
}
