// What a task throws is thrown by `get`.
#include <cassert>
#include <future>
#include <stdexcept>
static int task(int n)
{
	if (n < 0)
		throw std::domain_error("negative");
	return n;
}
int main()
{
	std::future<int> good = std::async(std::launch::async, task, 4);
	assert(good.get() == 4);
	std::future<int> bad = std::async(std::launch::async, task, -4);
	bool caught = false;
	try {
		bad.get();
	} catch (const std::logic_error &) {
		caught = true;
	}
	assert(caught);
}
