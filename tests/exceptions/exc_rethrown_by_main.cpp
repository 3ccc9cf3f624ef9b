// The exception of a thread, thrown again by `main`, which does not catch it.
#include <exception>
#include <stdexcept>
#include <thread>
static std::exception_ptr failure;
int main()
{
	std::thread thread([] {
		try {
			throw std::range_error("too far");
		} catch (...) {
			failure = std::current_exception();
		}
	});
	thread.join();
	std::rethrow_exception(failure); //~ ERROR[uncaught-exception]
}
