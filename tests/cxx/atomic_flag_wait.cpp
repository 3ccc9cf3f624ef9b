// A lock of a `std::atomic_flag` that waits. -DBUG: it is given back without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto GIVE = std::memory_order_relaxed;
#else
constexpr auto GIVE = std::memory_order_release;
#endif

struct flag_lock {
	std::atomic_flag taken;
	void lock()
	{
		while (taken.test_and_set(std::memory_order_acquire))
			;
	}
	void unlock() { taken.clear(GIVE); }
};

flag_lock mutex;
int counter;

void add()
{
	mutex.lock();
	counter++; //~ ERROR[data-race]
	mutex.unlock();
}

int main()
{
	std::thread other(add);
	add();
	other.join();
	assert(counter == 2);
}
