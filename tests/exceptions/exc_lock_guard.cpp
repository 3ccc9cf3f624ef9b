// A lock is given back when an exception leaves its scope.
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex mutex;
static int in_stock = 1, failures;
static void take()
{
	std::lock_guard<std::mutex> guard(mutex);
	if (in_stock == 0)
		throw "none left";
	in_stock--;
}
static void customer()
{
	try {
		take();
	} catch (const char *) {
		std::lock_guard<std::mutex> guard(mutex);
		failures++;
	}
}
int main()
{
	std::thread other(customer);
	customer();
	other.join();
	assert(in_stock == 0 && failures == 1);
}
