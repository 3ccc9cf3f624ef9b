// Waiting for some time: whether it is over is a choice, and clocks stand still. -DBUG: the lock is taken for granted.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::timed_mutex mutex;
int counter;

void add()
{
	auto start = std::chrono::steady_clock::now();
	bool is_mine = mutex.try_lock_for(10ms);
#ifndef BUG
	if (!is_mine)
		return;
#endif
	counter++; //~ ERROR[data-race]
	std::this_thread::sleep_for(1us);
	if (is_mine)
		mutex.unlock();
	assert(std::chrono::steady_clock::now() >= start);
}

int main()
{
	std::thread other(add);
	add();
	other.join();
	assert(counter >= 1);
}
