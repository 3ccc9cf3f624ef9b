// What should happen once and throws has not happened.
#include <cassert>
#include <mutex>
#include <thread>
static std::once_flag flag;
static int calls, done;
static void first()
{
	if (++calls == 1)
		throw 1;
	done++;
}
static void work()
{
	for (;;) {
		try {
			std::call_once(flag, first);
			return;
		} catch (int) {
		}
	}
}
int main()
{
	std::thread other(work);
	work();
	other.join();
	assert(calls == 2 && done == 1);
}
