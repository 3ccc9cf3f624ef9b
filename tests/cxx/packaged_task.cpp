// A `std::packaged_task` runs in another thread, its `std::shared_future` is read by two. -DBUG: one of them does not wait.
#include <cassert>
#include <future>
#include <thread>

int steps;

int main()
{
	std::packaged_task<int(int)> task([](int n) {
		steps++; //~ ERROR[data-race]
		return n + 1;
	});
	std::shared_future<int> answer = task.get_future().share();
	std::thread thread(std::move(task), 4);
#ifndef BUG
	assert(answer.get() == 5);
#endif
	assert(steps <= 1); //~ ALSO
	thread.join();
}
