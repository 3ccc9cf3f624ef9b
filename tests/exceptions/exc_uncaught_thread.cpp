// An exception does not leave a thread for the one that joins it.
#include <thread>
static void work()
{
	throw 1; //~ ERROR[uncaught-exception]
}
int main()
{
	try {
		std::thread thread(work);
		thread.join();
	} catch (int) {
	}
}
