// Treiber's stack, of nodes that live as long as it does. -DBUG: a node is pushed without release.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

struct node {
	int value;
	node *below;
};

std::atomic<node *> top{nullptr};

void push(node *it)
{
	it->below = top.load(std::memory_order_relaxed); //~ ERROR[data-race]
	while (!top.compare_exchange_strong(it->below, it, PUBLISH, std::memory_order_relaxed))
		;
}

node *pop()
{
	node *it = top.load(std::memory_order_acquire);
	while (it && !top.compare_exchange_strong(it, it->below, std::memory_order_acquire)) //~ ALSO
		;
	return it;
}

int main()
{
	auto one = std::make_unique<node>(node{1, nullptr}), two = std::make_unique<node>(node{2, nullptr});
	std::thread pusher([&] { push(one.get()); });
	push(two.get());
	node *popped = pop();
	pusher.join();
	assert(popped);
}
