// A hazard pointer: an object is freed only when no reader has announced it. -DBUG: it is announced with release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto ANNOUNCE = std::memory_order_release;
#else
constexpr auto ANNOUNCE = std::memory_order_seq_cst;
#endif

std::atomic<int *> current{new int(1)}, hazard{nullptr};

int main()
{
	std::thread reader([] {
		int *it = current.load(std::memory_order_acquire);
		hazard.store(it, ANNOUNCE);
		if (it && current.load(std::memory_order_seq_cst) == it)
			assert(*it == 1); //~ ERROR[use-after-free]
		hazard.store(nullptr, std::memory_order_release);
	});
	int *old = current.exchange(nullptr, std::memory_order_seq_cst);
	while (hazard.load(std::memory_order_seq_cst) == old)
		;
	delete old; //~ ALSO
	reader.join();
}
