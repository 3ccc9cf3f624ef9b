// A promise that goes away unkept breaks, and an empty future has nothing to get.
#include <cassert>
#include <future>
int main()
{
	int errors = 0;
	std::future<int> future;
	try {
		future.get();
	} catch (const std::future_error &it) {
		errors += it.code() == std::future_errc::no_state;
	}
	{
		std::promise<int> promise;
		future = promise.get_future();
	}
	try {
		future.get();
	} catch (const std::future_error &it) {
		errors += it.code() == std::future_errc::broken_promise;
	}
	assert(errors == 2);
}
