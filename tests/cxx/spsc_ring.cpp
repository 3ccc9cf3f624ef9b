// A ring for one producer and one consumer. -DBUG: the producer publishes without release.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

template<typename T, std::size_t N> class ring {
	std::array<T, N> slots{};
	alignas(64) std::atomic<std::size_t> head{0};
	alignas(64) std::atomic<std::size_t> tail{0};

public:
	bool push(T value)
	{
		auto at = tail.load(std::memory_order_relaxed);
		if (at - head.load(std::memory_order_acquire) == N)
			return false;
		slots[at % N] = value; //~ ERROR[data-race]
		tail.store(at + 1, PUBLISH);
		return true;
	}

	std::optional<T> pop()
	{
		auto at = head.load(std::memory_order_relaxed);
		if (at == tail.load(std::memory_order_acquire))
			return std::nullopt;
		T value = slots[at % N]; //~ ALSO
		head.store(at + 1, std::memory_order_release);
		return value;
	}
};

int main()
{
	ring<int, 2> queue;
	std::thread producer([&queue] {
		for (int i = 1; i <= 3; i++)
			while (!queue.push(i))
				;
	});
	for (int i = 1; i <= 3; i++) {
		std::optional<int> value;
		while (!(value = queue.pop()))
			;
		assert(*value == i);
	}
	producer.join();
}
