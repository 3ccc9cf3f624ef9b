// The handler of one thread races with the other thread: it was in no hurry to lock.
#include <mutex>
#include <thread>
static std::mutex mutex;
static int value, failures;
static void work(int n)
{
	try {
		std::lock_guard<std::mutex> guard(mutex);
		if (n)
			throw n;
		value++;
	} catch (int i) {
		value += i; //~ ERROR[data-race]
	}
}
int main()
{
	std::thread one(work, 0), other(work, 1);
	one.join();
	other.join();
}
