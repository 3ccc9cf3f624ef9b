// A promise that is not kept, but for an exception.
#include <cassert>
#include <future>
int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread thread([&promise] { promise.set_exception(std::make_exception_ptr(5)); });
	int caught = 0;
	try {
		future.get();
	} catch (int i) {
		caught = i;
	}
	thread.join();
	assert(caught == 5);
}
