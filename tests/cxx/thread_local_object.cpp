// Objects of threads: made when they are first used, destroyed when the thread ends, before it is joined. -DBUG: their
// destructors count without atomics.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG
int destroyed;
#else
std::atomic<int> destroyed;
#endif

struct buffer {
	int used = 0;
	~buffer() { destroyed++; } //~ ERROR[data-race]
};

thread_local buffer own;

void use()
{
	own.used++;
	assert(own.used == 1);
}

int main()
{
	std::thread first(use), second(use);
	first.join();
	second.join();
	assert(destroyed == 2);
	use();
}
