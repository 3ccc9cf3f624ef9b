// `std::scoped_lock` takes two mutexes in any order. -DBUG: one after the other.
#include <cassert>
#include <mutex>
#include <thread>

struct account {
	std::mutex mutex;
	int balance;
};

void move(account &from, account &to)
{
#ifdef BUG
	std::lock_guard first(from.mutex);
	std::lock_guard second(to.mutex); //~ ERROR[deadlock]
#else
	std::scoped_lock both(from.mutex, to.mutex);
#endif
	from.balance--;
	to.balance++;
}

int main()
{
	account a{{}, 5}, b{{}, 5};
	std::thread other([&] { move(a, b); });
	move(b, a);
	other.join();
	assert(a.balance == 5 && b.balance == 5);
}
