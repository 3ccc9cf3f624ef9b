// `std::atomic::wait` and `notify_one`. -DBUG: the value is written without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

int data;
std::atomic<int> turn{0};

int main()
{
	std::thread waiter([] {
		turn.wait(0, std::memory_order_acquire);
		assert(data == 7); //~ ALSO
	});
	data = 7; //~ ERROR[data-race]
	turn.store(1, PUBLISH);
	turn.notify_one();
	waiter.join();
}
