// A vector in a buffer of the stack, and one in the heap, by `std::pmr`. -DBUG: two threads use the same buffer.
#include <cassert>
#include <memory_resource>
#include <thread>
#include <vector>

int sum(std::pmr::memory_resource *resource)
{
	std::pmr::vector<int> numbers(resource);
	for (int i = 1; i <= 3; i++)
		numbers.push_back(i); //~ ERROR[data-race]
	return numbers[0] + numbers[1] + numbers[2];
}

int main()
{
	char bytes[128];
	std::pmr::monotonic_buffer_resource buffer(bytes, sizeof bytes);
#ifdef BUG
	std::thread other([&buffer] { assert(sum(&buffer) == 6); });
#else
	std::thread other([] { assert(sum(std::pmr::new_delete_resource()) == 6); });
#endif
	assert(sum(&buffer) == 6);
	other.join();
}
