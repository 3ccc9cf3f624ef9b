// An atomic object of 8 bytes that is a struct. -DBUG: its version is written without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

struct versioned {
	int version, index;
};

std::atomic<versioned> current{versioned{0, 0}};
int slots[2];

int main()
{
	static_assert(std::atomic<versioned>::is_always_lock_free);
	std::thread writer([] {
		slots[1] = 9; //~ ERROR[data-race]
		versioned before = current.load(std::memory_order_relaxed);
		current.compare_exchange_strong(before, versioned{before.version + 1, 1}, PUBLISH);
	});
	versioned seen = current.load(std::memory_order_acquire);
	if (seen.version == 1)
		assert(slots[seen.index] == 9); //~ ALSO
	writer.join();
}
