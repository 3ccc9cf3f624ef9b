// Nobody catches the exception of `main`.
#include <stdexcept>
int main()
{
	try {
		throw std::out_of_range("index 3 of 2"); //~ ERROR[uncaught-exception]
	} catch (const std::runtime_error &) {
	}
}
