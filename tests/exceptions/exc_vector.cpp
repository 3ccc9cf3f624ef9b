// The library throws, and containers destroy what they hold.
#include <cassert>
#include <stdexcept>
#include <vector>
static int alive, copies;
struct Counted {
	Counted() { alive++; }
	Counted(const Counted &)
	{
		if (++copies == 3)
			throw 3;
		alive++;
	}
	~Counted() { alive--; }
};
int main()
{
	int caught = 0;
	std::vector<int> numbers(2);
	try {
		numbers.at(2) = 1;
	} catch (const std::out_of_range &) {
		caught++;
	}
	{
		Counted one;
		try {
			std::vector<Counted> many(5, one);
		} catch (int) {
			caught++;
		}
		assert(alive == 1);
	}
	assert(caught == 2 && alive == 0);
}
