// Two threads fill an array, a third one waits for them at a `std::latch`. -DBUG: one counts down before it has written.
#include <cassert>
#include <latch>
#include <thread>

int main()
{
	std::latch done(2);
	int part[2] = {};
	std::thread first([&] {
		part[0] = 1;
		done.count_down();
	});
	std::thread second([&] {
#ifdef BUG
		done.count_down();
		part[1] = 2; //~ ERROR[data-race]
#else
		part[1] = 2;
		done.count_down();
#endif
	});
	done.wait();
	assert(part[0] + part[1] <= 3); //~ ALSO
	first.join();
	second.join();
}
