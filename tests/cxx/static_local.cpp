// A static variable of a function is made once. -DBUG: its count is plain.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
using counter = int;
#else
using counter = std::atomic<int>;
#endif

struct registry {
	int made;
	counter uses;
	registry() : made(1), uses(0) {}
	~registry() { assert(made == 1); }
};

registry &instance()
{
	static registry the_registry;
	return the_registry;
}

void use()
{
	instance().uses++; //~ ERROR[data-race]
	assert(instance().made == 1);
}

int main()
{
	std::thread other(use);
	use();
	other.join();
	assert(instance().uses == 2);
}
