// A ring for several producers and consumers, with a sequence number for each slot (Vyukov). -DBUG: a slot is handed over
// without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

template<typename T, unsigned N> class ring {
	struct slot {
		std::atomic<unsigned> sequence;
		T value;
	};
	slot slots[N];
	std::atomic<unsigned> tail{0}, head{0};

public:
	ring()
	{
		for (unsigned i = 0; i < N; i++)
			slots[i].sequence.store(i, std::memory_order_relaxed);
	}

	bool push(T value)
	{
		unsigned at = tail.load(std::memory_order_relaxed);
		for (;;) {
			slot &slot = slots[at % N];
			unsigned sequence = slot.sequence.load(std::memory_order_acquire);
			if (sequence == at) {
				if (tail.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) {
					slot.value = value; //~ ERROR[data-race]
					slot.sequence.store(at + 1, PUBLISH);
					return true;
				}
			} else if (int(sequence - at) < 0) {
				return false;
			} else {
				at = tail.load(std::memory_order_relaxed);
			}
		}
	}

	bool pop(T &value)
	{
		unsigned at = head.load(std::memory_order_relaxed);
		for (;;) {
			slot &slot = slots[at % N];
			unsigned sequence = slot.sequence.load(std::memory_order_acquire);
			if (sequence == at + 1) {
				if (head.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) {
					value = slot.value; //~ ALSO
					slot.sequence.store(at + N, std::memory_order_release);
					return true;
				}
			} else if (int(sequence - (at + 1)) < 0) {
				return false;
			} else {
				at = head.load(std::memory_order_relaxed);
			}
		}
	}
};

ring<int, 2> queue;

int main()
{
	std::thread first([] { queue.push(1); }), second([] { queue.push(2); });
	int value, sum = 0, taken = 0;
	if (queue.pop(value))
		sum += value, taken++;
	first.join();
	second.join();
	while (queue.pop(value))
		sum += value, taken++;
	assert(sum == 3 && taken == 2);
}
