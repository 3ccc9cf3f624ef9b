// The last of two threads that drops a `std::shared_ptr` destroys the object. -DBUG: a count of the program's own, without
// acquire.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

int destroyed;

struct object {
	int uses[2] = {};
#ifdef BUG
	std::atomic<int> count{2};
#endif
	~object()
	{
		assert(uses[0] + uses[1] == 2); //~ ERROR[data-race]
		destroyed++;
	}
};

#ifdef BUG
using pointer = object *;
void drop(object *&it)
{
	if (it->count.fetch_sub(1, std::memory_order_relaxed) == 1)
		delete it;
}
#else
using pointer = std::shared_ptr<object>;
void drop(pointer &it) { it.reset(); }
#endif

void use(pointer it, int which)
{
	it->uses[which]++; //~ ALSO
	drop(it);
}

int main()
{
#ifdef BUG
	pointer it = new object;
#else
	pointer it = std::make_shared<object>();
#endif
	std::thread other(use, it, 0);
	use(std::move(it), 1);
	other.join();
	assert(destroyed == 1);
}
