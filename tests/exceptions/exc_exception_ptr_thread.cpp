// A thread hands its exception to the one that joins it.
#include <cassert>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
static std::exception_ptr failure;
static void work()
{
	try {
		throw std::runtime_error("no work");
	} catch (...) {
		failure = std::current_exception();
	}
}
int main()
{
	bool caught = false;
	std::thread thread(work);
	thread.join();
	try {
		std::rethrow_exception(failure);
	} catch (const std::exception &it) {
		caught = !std::strcmp(it.what(), "no work");
	}
	assert(caught);
}
