// `catch (...)` takes what the handlers before it do not.
#include <cassert>
struct Other {};
static int taken(bool other)
{
	try {
		if (other)
			throw Other();
		throw 1L;
	} catch (int) {
		return 1;
	} catch (...) {
		return 2;
	}
}
int main()
{
	assert(taken(true) == 2);
	assert(taken(false) == 2);
}
