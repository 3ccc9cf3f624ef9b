// Nodes of `std::map` and `std::set`: a red-black tree.
//
// The header is a red node whose parent is the root, and which is the parent of the root; its left and right are the first and
// the last node. [Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, chapter 13] has the cases; they differ by
// their side only, so that a side is a member pointer here.
#include <map>
#include <set>

namespace std {

using node = _Rb_tree_node_base;
using side = node *node::*;

static constexpr side LEFT = &node::_M_left, RIGHT = &node::_M_right;

INLINE static inline side other(side side) { return side == LEFT ? RIGHT : LEFT; }
INLINE static inline bool is_red(const node *it) { return it && it->_M_color == _S_red; }

// The neighbour of a node in order, on this side.
static node *neighbour(node *at, side to)
{
	side back = other(to);
	if (at->*to) {
		at = at->*to;
		while (at->*back)
			at = at->*back;
		return at;
	}
	node *up = at->_M_parent;
	while (at == up->*to) {
		at = up;
		up = up->_M_parent;
	}
	// From the last node of a tree that is its root, the way up ends at the header already.
	return at->*to == up ? at : up;
}

node *_Rb_tree_increment(node *at) noexcept { return neighbour(at, RIGHT); }
const node *_Rb_tree_increment(const node *at) noexcept { return neighbour(const_cast<node *>(at), RIGHT); }

node *_Rb_tree_decrement(node *at) noexcept
{
	// Before the end is the last one.
	return at->_M_color == _S_red && at->_M_parent->_M_parent == at ? at->_M_right : neighbour(at, LEFT);
}

const node *_Rb_tree_decrement(const node *at) noexcept { return _Rb_tree_decrement(const_cast<node *>(at)); }

// What points to a node from above: a child of its parent, or the root.
INLINE static inline node *&link_to(node *at, node &header)
{
	node *up = at->_M_parent;
	if (header._M_parent == at)
		return header._M_parent;
	return up->_M_left == at ? up->_M_left : up->_M_right;
}

// Turns a node down to a side: its child on the other side takes its place.
static void rotate(node *at, side to, node &header)
{
	side from = other(to);
	node *child = at->*from;
	at->*from = child->*to;
	if (child->*to)
		(child->*to)->_M_parent = at;
	child->_M_parent = at->_M_parent;
	link_to(at, header) = child;
	child->*to = at;
	at->_M_parent = child;
}

// A new node is red: its parent must not be.
static void mend_red(node *at, node &header)
{
	while (at != header._M_parent && at->_M_parent->_M_color == _S_red) {
		node *up = at->_M_parent, *top = up->_M_parent;
		side near = up == top->_M_left ? LEFT : RIGHT, far = other(near);
		node *uncle = top->*far;
		if (is_red(uncle)) {
			up->_M_color = uncle->_M_color = _S_black;
			top->_M_color = _S_red;
			at = top;
			continue;
		}
		if (at == up->*far) {
			rotate(up, near, header);
			up = at;
		}
		up->_M_color = _S_black;
		top->_M_color = _S_red;
		rotate(top, far, header);
		break;
	}
	header._M_parent->_M_color = _S_black;
}

void _Rb_tree_insert_and_rebalance(bool is_left, node *at, node *parent, node &header) noexcept
{
	at->_M_parent = parent;
	at->_M_left = at->_M_right = nullptr;
	at->_M_color = _S_red;
	if (parent == &header) {
		header._M_left = header._M_right = header._M_parent = at;
	} else if (is_left) {
		parent->_M_left = at;
		if (parent == header._M_left)
			header._M_left = at;
	} else {
		parent->_M_right = at;
		if (parent == header._M_right)
			header._M_right = at;
	}
	mend_red(at, header);
}

// On the paths through `at`, a child of `up` that may be null, there is one black node too few.
static void mend_black(node *at, node *up, node &header)
{
	while (at != header._M_parent && !is_red(at)) {
		side near = at == up->_M_left ? LEFT : RIGHT, far = other(near);
		node *sibling = up->*far;
		if (is_red(sibling)) {
			sibling->_M_color = _S_black;
			up->_M_color = _S_red;
			rotate(up, near, header);
			sibling = up->*far;
		}
		if (!is_red(sibling->_M_left) && !is_red(sibling->_M_right)) {
			sibling->_M_color = _S_red;
			at = up;
			up = up->_M_parent;
			continue;
		}
		if (!is_red(sibling->*far)) {
			(sibling->*near)->_M_color = _S_black;
			sibling->_M_color = _S_red;
			rotate(sibling, far, header);
			sibling = up->*far;
		}
		sibling->_M_color = up->_M_color;
		up->_M_color = _S_black;
		(sibling->*far)->_M_color = _S_black;
		rotate(up, near, header);
		break;
	}
	if (at)
		at->_M_color = _S_black;
}

INLINE static inline void replace(node *at, node *by, node &header)
{
	link_to(at, header) = by;
	if (by)
		by->_M_parent = at->_M_parent;
}

// Takes a node out, which is returned; the others stay where they are in memory.
node *_Rb_tree_rebalance_for_erase(node *const at, node &header) noexcept
{
	node *next = nullptr, *child, *up;
	_Rb_tree_color color = at->_M_color;

	if (at == header._M_left)
		header._M_left = at->_M_right ? node::_S_minimum(at->_M_right) : at->_M_parent;
	if (at == header._M_right)
		header._M_right = at->_M_left ? node::_S_maximum(at->_M_left) : at->_M_parent;
	if (!at->_M_left || !at->_M_right) {
		child = at->_M_left ? at->_M_left : at->_M_right;
		up = at->_M_parent;
		replace(at, child, header);
	} else {
		// The next node takes its place and its color.
		next = node::_S_minimum(at->_M_right);
		color = next->_M_color;
		child = next->_M_right;
		up = next;
		if (next != at->_M_right) {
			up = next->_M_parent;
			replace(next, child, header);
			next->_M_right = at->_M_right;
			next->_M_right->_M_parent = next;
		}
		replace(at, next, header);
		next->_M_left = at->_M_left;
		next->_M_left->_M_parent = next;
		next->_M_color = at->_M_color;
	}
	if (color == _S_black)
		mend_black(child, up, header);
	return at;
}

}
