// `dynamic_cast`: down, across, with virtual and repeated bases; and what fails.
#include <cassert>
#include <typeinfo>
struct Root {
	virtual ~Root() {}
};
struct Left : virtual Root {
	int left = 1;
};
struct Right : virtual Root {
	int right = 2;
};
struct Leaf : Left, Right {
	int leaf = 3;
};
struct Side {
	virtual ~Side() {}
};
struct Plain : Root {
	int plain = 4;
};
struct Wide : Plain, private Side {};
struct One : Plain {};
struct Two : Plain {};
struct Fork : One, Two {};
int main()
{
	Leaf leaf;
	Root *root = &leaf;
	assert(dynamic_cast<Leaf *>(root)->leaf == 3);
	assert(dynamic_cast<Right *>(root)->right == 2);
	Left *left = &leaf;
	assert(dynamic_cast<Right *>(left)->right == 2);
	assert(dynamic_cast<void *>(left) == &leaf);
	assert(!dynamic_cast<Plain *>(root) && !dynamic_cast<Side *>(root));
	Wide wide;
	root = &wide;
	assert(dynamic_cast<Wide *>(root) == &wide);
	assert(!dynamic_cast<Side *>(root));
	Fork fork;
	Plain *plain = static_cast<One *>(&fork);
	assert(dynamic_cast<Fork *>(plain) == &fork);
	assert(dynamic_cast<Two *>(plain) == &fork);
	assert(dynamic_cast<One *>(plain)->plain == 4);
	int failed = 0;
	try {
		dynamic_cast<Side &>(*root);
	} catch (const std::bad_cast &) {
		failed++;
	}
	assert(failed == 1);
}
