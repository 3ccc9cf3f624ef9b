// `std::notify_all_at_thread_exit` of a thread that is detached. -DBUG: it is waited for without a predicate.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

// The thread may still use them when the program ends: they are never destroyed.
std::mutex &mutex = *new std::mutex;
std::condition_variable &changed = *new std::condition_variable;
bool is_done;
int result;

int main()
{
	std::thread([] {
		std::unique_lock lock(mutex);
		is_done = true;
		result = 6;
		std::notify_all_at_thread_exit(changed, std::move(lock));
	}).detach();
	std::unique_lock lock(mutex);
#ifdef BUG
	changed.wait(lock); //~ ERROR[deadlock]
#else
	changed.wait(lock, [] { return is_done; });
#endif
	assert(result == 6 || !is_done);
}
