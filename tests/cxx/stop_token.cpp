// A `std::jthread` that its destructor stops. -DBUG: it says that it has begun without release.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

int state;
std::atomic<int> begun;

int main()
{
	std::jthread thread([](std::stop_token stop) {
		state = 1; //~ ERROR[data-race]
		begun.store(1, PUBLISH);
		while (!stop.stop_requested())
			;
	});
	if (begun.load(std::memory_order_acquire))
		assert(state == 1); //~ ALSO
}
