// Two threads throw one exception at the same time.
#include <atomic>
#include <cassert>
#include <exception>
#include <thread>
static std::atomic<int> seen;
static void take(std::exception_ptr it)
{
	try {
		std::rethrow_exception(it);
	} catch (const int &i) {
		seen.fetch_add(i, std::memory_order_relaxed);
	}
}
int main()
{
	std::exception_ptr shared = std::make_exception_ptr(3);
	std::thread other(take, shared);
	take(shared);
	shared = nullptr;
	other.join();
	assert(seen == 6);
}
