// A destructor that may throw, and does: the other members and objects are destroyed.
#include <cassert>
static int destroyed;
struct Part {
	~Part() { destroyed++; }
};
struct Throws {
	Part part;
	~Throws() noexcept(false) { throw 1; }
};
int main()
{
	int caught = 0;
	try {
		Part before;
		Throws throws;
		Part after;
	} catch (int i) {
		caught = i;
	}
	assert(caught == 1 && destroyed == 3);
}
