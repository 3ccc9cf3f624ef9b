// A counter behind a `std::mutex`. -DBUG: one thread does not take it.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int counter;

void add()
{
	std::lock_guard<std::mutex> guard(mutex);
	counter++; //~ ALSO
}

int main()
{
	std::thread first(add);
#ifdef BUG
	counter++; //~ ERROR[data-race]
#else
	add();
#endif
	first.join();
	assert(counter == 2);
}
