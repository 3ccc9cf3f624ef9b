// A `std::promise` hands a value and everything before it to its `std::future`. -DBUG: it is kept before the work is done.
#include <cassert>
#include <future>
#include <thread>

int work;

int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread thread([&promise] {
#ifdef BUG
		promise.set_value(3);
		work = 3; //~ ERROR[data-race]
#else
		work = 3;
		promise.set_value(3);
#endif
	});
	int value = future.get();
	assert(value >= work); //~ ALSO
	thread.join();
}
