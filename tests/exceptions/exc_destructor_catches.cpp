// A destructor that runs because of an exception may throw and catch others.
#include <cassert>
#include <exception>
static int inner, most;
struct Catches {
	~Catches()
	{
		int now = std::uncaught_exceptions();
		if (now > most)
			most = now;
		try {
			throw 'c';
		} catch (char) {
			inner++;
		}
		assert(std::uncaught_exceptions() == now);
	}
};
int main()
{
	int caught = 0;
	assert(std::uncaught_exceptions() == 0);
	try {
		Catches a, b;
		throw 3;
	} catch (int i) {
		assert(std::uncaught_exceptions() == 0);
		caught = i;
	}
	assert(caught == 3 && inner == 2 && most == 1);
}
