// A `std::list` of jobs that a thread takes over with `splice`. -DBUG: without the lock.
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

std::mutex mutex;
std::list<int> inbox;

int take_all()
{
	std::list<int> jobs;
	{
#ifndef BUG
		std::lock_guard lock(mutex);
#endif
		jobs.splice(jobs.end(), inbox); //~ ERROR[data-race]
	}
	jobs.reverse();
	int sum = 0;
	for (int job : jobs)
		sum += job;
	return sum;
}

int main()
{
	inbox.push_back(1);
	std::thread other([] {
		std::lock_guard lock(mutex);
		inbox.push_back(2); //~ ALSO
	});
	int sum = take_all();
	other.join();
	assert(sum + take_all() == 3);
}
