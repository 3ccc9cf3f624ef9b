// A spinning lock for readers and writers, as a class template over its policy. -DBUG: a writer leaves without release.
#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct strong {
	static constexpr auto leave = std::memory_order_release;
};
struct weak {
	static constexpr auto leave = std::memory_order_relaxed;
};

template<typename Policy> class rw_spinlock {
	static constexpr unsigned WRITER = 1u << 31;
	std::atomic<unsigned> word{0};

public:
	void lock()
	{
		unsigned none = 0;
		while (!word.compare_exchange_strong(none, WRITER, std::memory_order_acquire))
			none = 0;
	}
	void unlock() { word.fetch_and(~WRITER, Policy::leave); }
	void lock_shared()
	{
		while (word.fetch_add(1, std::memory_order_acquire) & WRITER) {
			word.fetch_sub(1, std::memory_order_relaxed);
			while (word.load(std::memory_order_relaxed) & WRITER)
				;
		}
	}
	void unlock_shared() { word.fetch_sub(1, std::memory_order_release); }
};

#ifdef BUG
rw_spinlock<weak> lock;
#else
rw_spinlock<strong> lock;
#endif
int data;

int main()
{
	std::thread writer([] {
		std::unique_lock guard(lock);
		data++; //~ ERROR[data-race]
	});
	{
		std::shared_lock guard(lock);
		assert(data <= 1); //~ ALSO
	}
	writer.join();
	assert(data == 1);
}
