// Words counted in an `std::unordered_map` of each thread, added up by `main`. -DBUG: one map for all.
#include <cassert>
#include <string>
#include <thread>
#include <unordered_map>

using counts = std::unordered_map<std::string, int>;

void count(counts &counts, const std::string &word)
{
	counts[word]++; //~ ERROR[data-race]
	counts["all"]++;
}

int main()
{
	counts first, second;
#ifdef BUG
	std::thread other([&] { count(first, "other"); });
#else
	std::thread other([&] { count(second, "other"); });
#endif
	count(first, "main");
	other.join();
	assert(first["all"] + second["all"] == 2 && first.size() == 2);
}
