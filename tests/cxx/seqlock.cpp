// A sequence lock over a struct of words. -DBUG: the writer's fence is missing.
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <utility>

class seqlock {
	std::atomic<unsigned> sequence{0};
	std::atomic<int> x{0}, y{0};

public:
	void write(int value)
	{
		unsigned before = sequence.load(std::memory_order_relaxed);
		sequence.store(before + 1, std::memory_order_relaxed);
#ifndef BUG
		std::atomic_thread_fence(std::memory_order_release);
#endif
		x.store(value, std::memory_order_relaxed);
		y.store(value, std::memory_order_relaxed);
		sequence.store(before + 2, std::memory_order_release);
	}

	std::optional<std::pair<int, int>> read()
	{
		unsigned before = sequence.load(std::memory_order_acquire);
		std::pair<int, int> values{x.load(std::memory_order_relaxed), y.load(std::memory_order_relaxed)};
		std::atomic_thread_fence(std::memory_order_acquire);
		if (before % 2 == 1 || sequence.load(std::memory_order_relaxed) != before)
			return std::nullopt;
		return values;
	}
};

seqlock shared;

int main()
{
	std::thread writer([] { shared.write(1); });
	if (auto seen = shared.read())
		assert(seen->first == seen->second); //~ ERROR[assertion]
	writer.join();
}
