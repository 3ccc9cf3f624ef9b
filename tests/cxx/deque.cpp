// A deque that one thread works at and another steals from (Chase and Lev). -DBUG: the fence in `take` is missing.
#include <atomic>
#include <cassert>
#include <thread>

class deque {
	std::atomic<int> slots[4] = {};
	std::atomic<int> top{0}, bottom{0};

public:
	void push(int value)
	{
		int at = bottom.load(std::memory_order_relaxed);
		slots[at % 4].store(value, std::memory_order_relaxed);
		bottom.store(at + 1, std::memory_order_release);
	}

	int take()
	{
		int at = bottom.load(std::memory_order_relaxed) - 1;
		bottom.store(at, std::memory_order_relaxed);
#ifndef BUG
		std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
		int first = top.load(std::memory_order_relaxed);
		if (first > at) {
			bottom.store(at + 1, std::memory_order_relaxed);
			return 0;
		}
		int value = slots[at % 4].load(std::memory_order_relaxed);
		if (first == at) {
			if (!top.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst))
				value = 0;
			bottom.store(at + 1, std::memory_order_relaxed);
		}
		return value;
	}

	int steal()
	{
		int first = top.load(std::memory_order_acquire);
		std::atomic_thread_fence(std::memory_order_seq_cst);
		if (first >= bottom.load(std::memory_order_acquire))
			return 0;
		int value = slots[first % 4].load(std::memory_order_relaxed);
		return top.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst) ? value : 0;
	}
};

deque jobs;
std::atomic<int> done[3];

void run(int job)
{
	if (job)
		assert(done[job].fetch_add(1, std::memory_order_relaxed) == 0); //~ ERROR[assertion]
}

int main()
{
	jobs.push(1);
	jobs.push(2);
	std::thread thief([] {
		run(jobs.steal());
		run(jobs.steal());
	});
	run(jobs.take());
	run(jobs.take());
	thief.join();
}
