// Two threads exchange values in two phases of a `std::barrier`. -DBUG: one goes on without waiting.
#include <barrier>
#include <cassert>
#include <thread>

int main()
{
	std::barrier phase(2);
	int left = 0, right = 0;
	std::thread thread([&] {
		right = 1; //~ ALSO
		phase.arrive_and_wait();
		assert(left == 1);
	});
	left = 1;
#ifdef BUG
	(void)phase.arrive();
#else
	phase.arrive_and_wait();
#endif
	assert(right <= 1); //~ ERROR[data-race]
	thread.join();
}
