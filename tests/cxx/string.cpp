// A long `std::string` is moved to another thread. -DBUG: without release.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

std::string text;
std::atomic<bool> is_there;

int main()
{
	std::thread writer([] {
		std::string made("a text that is too long to be ");
		made += "part of a string object";
		made.insert(2, "whole ");
		text = std::move(made); //~ ERROR[data-race]
		is_there.store(true, PUBLISH);
	});
	if (is_there.load(std::memory_order_acquire))
		assert(text.substr(2, 10) == "whole text" && text.find("object") != std::string::npos); //~ ALSO
	writer.join();
}
