// A plain member that `std::atomic_ref` makes atomic. -DBUG: one of its accesses is plain.
#include <atomic>
#include <cassert>
#include <thread>

struct account {
	int owner;
	alignas(std::atomic_ref<int>::required_alignment) int balance;
};

account shared{1, 0};

void pay()
{
	std::atomic_ref<int>(shared.balance).fetch_add(10, std::memory_order_relaxed); //~ ALSO
}

int main()
{
	std::thread other(pay);
#ifdef BUG
	shared.balance += 10; //~ ERROR[data-race]
#else
	pay();
#endif
	other.join();
	assert(shared.balance == 20);
}
