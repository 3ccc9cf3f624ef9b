// `noexcept` asks a function, and one that must not throw may throw inside.
#include <cassert>
static int inside() noexcept
{
	try {
		throw 4;
	} catch (int i) {
		return i;
	}
}
static void may();
static_assert(noexcept(inside()) && !noexcept(may()));
static void may() {}
int main()
{
	may();
	assert(inside() == 4);
}
