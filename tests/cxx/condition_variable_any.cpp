// `std::condition_variable_any` with a lock of the program's own. -DBUG: that gives the lock back without release.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <thread>

#ifdef BUG
constexpr auto GIVE = std::memory_order_relaxed;
#else
constexpr auto GIVE = std::memory_order_release;
#endif

struct spinlock {
	std::atomic<bool> taken{false};
	void lock()
	{
		while (taken.exchange(true, std::memory_order_acquire))
			;
	}
	void unlock() { taken.store(false, GIVE); }
};

spinlock lock;
std::condition_variable_any changed;
bool is_ready;

int main()
{
	std::thread other([] {
		lock.lock();
		is_ready = true; //~ ERROR[data-race]
		lock.unlock();
		changed.notify_one();
	});
	lock.lock();
	while (!is_ready) //~ ALSO
		changed.wait(lock);
	lock.unlock();
	other.join();
}
