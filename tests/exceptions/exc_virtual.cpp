// Calls through tables and pointers, inside of `std::function`, with arguments that are to be destroyed.
#include <cassert>
#include <functional>
static int destroyed;
struct Argument {
	~Argument() { destroyed++; }
};
struct Shape {
	virtual int area(Argument) = 0;
	virtual ~Shape() {}
};
struct Bad : Shape {
	int area(Argument) override { throw 6; }
};
static int ask(Shape &shape)
{
	try {
		return shape.area(Argument());
	} catch (int i) {
		return -i;
	}
}
int main()
{
	Bad bad;
	assert(ask(bad) == -6 && destroyed == 1);
	std::function<int(int)> function = [&](int n) -> int { throw n; };
	int caught = 0;
	try {
		function(2);
	} catch (int i) {
		caught = i;
	}
	function = nullptr;
	try {
		function(3);
	} catch (const std::bad_function_call &) {
		caught += 10;
	}
	assert(caught == 12);
}
