// `std::call_once`. -DBUG: a flag that is read with relaxed takes its place.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag once;
std::atomic<bool> is_made;
int table;

int look()
{
#ifdef BUG
	if (!is_made.exchange(true, std::memory_order_relaxed))
		table = 5; //~ ERROR[data-race]
#else
	std::call_once(once, [](int value) { table = value; }, 5);
#endif
	return table; //~ ALSO
}

int main()
{
	std::thread other([] { assert(look() == 5); });
	assert(look() == 5);
	other.join();
}
