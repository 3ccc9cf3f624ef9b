// Threads that write to `std::cout` and `std::cerr` do not race. -DBUG: for what they write.
#include <atomic>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>

#ifdef BUG
int counter;
#else
std::atomic<int> counter;
#endif

void tell(const std::string &who)
{
	std::cout << who << ": " << ++counter << '\n'; //~ ERROR[data-race]
	std::cerr << "at " << 1.5 << ' ' << std::boolalpha << true << std::endl;
}

int main()
{
	std::cout << std::hex << std::setw(4) << 7u << std::flush;
	std::thread other([] { std::cout << "other: " << ++counter << std::endl; }); //~ ALSO
	tell("main");
	other.join();
}
