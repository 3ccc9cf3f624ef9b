// Readers and a writer at a `std::shared_mutex`. -DBUG: the writer locks it as a reader does.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int first, second;

void read()
{
	std::shared_lock lock(mutex);
	assert(first == second); //~ ALSO
}

void write()
{
#ifdef BUG
	std::shared_lock lock(mutex);
#else
	std::unique_lock lock(mutex);
#endif
	first++; //~ ERROR[data-race]
	second++;
}

int main()
{
	std::thread reader(read), writer(write);
	read();
	reader.join();
	writer.join();
}
