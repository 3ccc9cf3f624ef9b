// Local objects are destroyed in reverse order, those of all functions on the way.
#include <cassert>
static int log[8], n;
struct Noted {
	int id;
	Noted(int id) : id(id) {}
	~Noted() { log[n++] = id; }
};
static void inner()
{
	Noted c(3);
	Noted d(4);
	throw 1;
}
static void outer()
{
	Noted a(1);
	{
		Noted b(2);
		inner();
	}
	Noted never(9);
}
int main()
{
	try {
		Noted zero(0);
		outer();
	} catch (int) {
		log[n++] = 5;
	}
	assert(n == 6);
	for (int i = 0; i < 5; i++)
		assert(log[i] == 4 - i);
	assert(log[5] == 5);
}
