// Several bases: the handler gets the right one; what is ambiguous or not public is not taken.
#include <cassert>
struct Root {
	int root = 1;
	virtual ~Root() {}
};
struct Left : Root {
	int left = 2;
};
struct Right : Root {
	int right = 3;
};
struct Twice : Left, Right {};
struct VLeft : virtual Root {
	int left = 4;
};
struct VRight : virtual Root {
	int right = 5;
};
struct Once : VLeft, VRight {};
class Hidden : Root, public Right {};
template <class Thrown> static int taken()
{
	try {
		throw Thrown();
	} catch (VRight &it) {
		return it.right + 10 * it.root;
	} catch (Root &it) {
		return it.root;
	} catch (Right &it) {
		return it.right;
	} catch (...) {
		return -1;
	}
}
static int virtual_root()
{
	try {
		throw Once();
	} catch (Root &it) {
		return it.root;
	}
}
int main()
{
	assert(taken<Left>() == 1);
	assert(taken<Twice>() == 3);
	assert(taken<Once>() == 15);
	assert(taken<Hidden>() == 3);
	assert(virtual_root() == 1);
}
