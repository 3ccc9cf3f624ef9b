// Nodes of `std::list`: a ring, in which the list itself is a node.
#include <list>

namespace std::__detail {

using node = _List_node_base;

INLINE static inline void connect(node *left, node *right)
{
	left->_M_next = right;
	right->_M_prev = left;
}

void node::_M_hook(node *position) noexcept
{
	connect(position->_M_prev, this);
	connect(this, position);
}

void node::_M_unhook() noexcept { connect(_M_prev, _M_next); }

// Takes the nodes from `first` to the one before `last` out of their ring, and puts them before this one.
void node::_M_transfer(node *first, node *last) noexcept
{
	if (this == last)
		return;
	node *end = last->_M_prev;
	connect(first->_M_prev, last);
	connect(_M_prev, first);
	connect(end, this);
}

void node::_M_reverse() noexcept
{
	node *at = this;
	do {
		node *next = at->_M_next;
		at->_M_next = at->_M_prev;
		at->_M_prev = next;
		at = next;
	} while (at != this);
}

// Lets another node stand where `from` stood; `from` is a ring by itself then.
static void replace(node &from, node &by)
{
	connect(from._M_prev, &by);
	connect(&by, from._M_next);
	connect(&from, &from);
}

void node::swap(node &a, node &b) noexcept
{
	node between;
	connect(&between, &between);
	if (a._M_next != &a)
		replace(a, between);
	if (b._M_next != &b)
		replace(b, a);
	if (between._M_next != &between)
		replace(between, b);
}

}
