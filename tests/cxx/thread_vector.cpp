// A vector of threads, each with a `std::function`. -DBUG: they add without atomics.
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>
#include <vector>

#ifdef BUG
int sum;
#else
std::atomic<int> sum;
#endif

int main()
{
	std::vector<std::function<void()>> jobs;
	for (int i = 1; i <= 2; i++)
		jobs.push_back([i] { sum += i; }); //~ ERROR[data-race]
	std::vector<std::thread> threads;
	for (auto &job : jobs)
		threads.emplace_back(job);
	for (auto &thread : threads)
		thread.join();
	assert(sum == 3);
}
