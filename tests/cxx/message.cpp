// Message passing with `std::thread` and `std::atomic`. -DBUG: the flag is written without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

int data;
std::atomic<bool> ready{false};

int main()
{
	std::thread writer([] {
		data = 42; //~ ERROR[data-race]
		ready.store(true, PUBLISH);
	});
	std::thread reader([] {
		if (ready.load(std::memory_order_acquire))
			assert(data == 42); //~ ALSO
	});
	writer.join();
	reader.join();
}
