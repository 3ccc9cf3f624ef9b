// Jobs for a worker that waits on a `std::condition_variable`. -DBUG: the end is announced without the lock.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class worker {
	std::mutex mutex;
	std::condition_variable changed;
	std::queue<int> jobs;
	bool is_over = false;
	int sum = 0;
	std::thread thread;

	void work()
	{
		std::unique_lock<std::mutex> lock(mutex);
		for (;;) {
			changed.wait(lock, [this] { return is_over || !jobs.empty(); }); //~ ALSO
			if (jobs.empty())
				return;
			sum += jobs.front();
			jobs.pop();
		}
	}

public:
	worker() : thread([this] { work(); }) {}

	void add(int job)
	{
		{
			std::lock_guard<std::mutex> lock(mutex);
			jobs.push(job);
		}
		changed.notify_one();
	}

	int end()
	{
		{
#ifndef BUG
			std::lock_guard<std::mutex> lock(mutex);
#endif
			is_over = true; //~ ERROR[data-race]
		}
		changed.notify_one();
		thread.join();
		return sum;
	}
};

int main()
{
	worker worker;
	worker.add(3);
	assert(worker.end() == 3);
}
