// `std::async`, in a thread and deferred. -DBUG: the result of the thread is looked at before it was asked for.
#include <cassert>
#include <future>

int side;

int main()
{
	auto now = std::async(std::launch::async, [] {
		side = 1; //~ ERROR[data-race]
		return 2;
	});
	auto later = std::async(std::launch::deferred, [] { return 3; });
#ifdef BUG
	assert(side <= 1); //~ ALSO
#endif
	assert(now.get() + later.get() == 5);
	assert(side == 1);
}
