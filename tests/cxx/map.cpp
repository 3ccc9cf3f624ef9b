// A `std::map` behind a mutex. -DBUG: one thread looks something up without it.
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

std::mutex mutex;
std::map<int, int> squares;

void add(int n)
{
	std::lock_guard lock(mutex);
	squares[n] = n * n; //~ ERROR[data-race]
}

int main()
{
	for (int i = 0; i < 8; i++)
		add(i * 5 % 8);
	std::thread other(add, 9);
	{
#ifndef BUG
		std::lock_guard lock(mutex);
#endif
		assert(squares.count(8) == 0); //~ ALSO
	}
	other.join();
	squares.erase(0);
	int last = -1;
	for (auto [n, square] : squares) {
		assert(n > last && square == n * n);
		last = n;
	}
	assert(squares.size() == 8 && last == 9);
}
