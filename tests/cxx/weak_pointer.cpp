// A `std::weak_ptr` is locked while the last `std::shared_ptr` goes. -DBUG: what it points to is used without locking it.
#include <cassert>
#include <memory>
#include <thread>

int main()
{
	std::shared_ptr<int> owner(new int(42));
	std::weak_ptr<int> weak = owner;
#ifdef BUG
	int *seen = owner.get();
	std::thread other([seen] { assert(*seen == 42); }); //~ ERROR[use-after-free]
#else
	std::thread other([weak] {
		if (auto strong = weak.lock())
			assert(*strong == 42);
	});
#endif
	owner.reset(); //~ ALSO
	other.join();
	assert(weak.expired());
}
