// A thread that is neither joined nor detached ends the program by `std::terminate`; there is no exception.
#include <thread>
int main()
{
	std::thread thread([] {});
} //~ ERROR[assertion]
