// Numbers of `std::random_device` and of an engine: one sequence of many. -DBUG: two threads share the engine.
#include <cassert>
#include <random>
#include <thread>

std::minstd_rand shared;

int roll(std::minstd_rand &engine)
{
	return int(engine() % 6) + 1; //~ ERROR[data-race]
}

int main()
{
	std::random_device device;
	shared.seed(device());
	std::thread other([] {
#ifdef BUG
		roll(shared);
#else
		std::minstd_rand own(7);
		roll(own);
#endif
	});
	int side = roll(shared);
	other.join();
	assert(side >= 1 && side <= 6);
}
