// An object with a virtual base, published as its interface. -DBUG: without release.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

struct named {
	int name = 1;
	virtual ~named() = default;
	virtual int call() const = 0;
};
struct left : virtual named {};
struct right : virtual named {};
struct both : left, right {
	int call() const override { return name + 1; }
};

std::atomic<named *> published{nullptr};

int main()
{
	std::thread maker([] { published.store(new both, PUBLISH); }); //~ ERROR[data-race]
	if (named *it = published.load(std::memory_order_acquire))
		assert(it->call() == 2); //~ ALSO
	maker.join();
	delete published.load();
}
