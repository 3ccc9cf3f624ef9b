// A configuration behind a `std::atomic<std::shared_ptr>`, which a thread takes. -DBUG: the pointer is not atomic.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct configuration {
	int a, b;
};

#ifdef BUG
std::shared_ptr<configuration> current = std::make_shared<configuration>(1, 1);
std::shared_ptr<configuration> get() { return current; } //~ ALSO
void set(std::shared_ptr<configuration> it) { current = std::move(it); } //~ ERROR[data-race]
#else
std::atomic<std::shared_ptr<configuration>> current = std::make_shared<configuration>(1, 1);
std::shared_ptr<configuration> get() { return current.exchange(nullptr); }
void set(std::shared_ptr<configuration> it) { current.exchange(std::move(it)); }
#endif

int main()
{
	std::thread writer([] { set(std::make_shared<configuration>(2, 2)); });
	auto seen = get();
	assert(!seen || seen->a == seen->b);
	writer.join();
}
