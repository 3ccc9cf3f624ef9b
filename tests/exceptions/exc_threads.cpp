// Each thread throws and catches its own exceptions.
#include <atomic>
#include <cassert>
#include <pthread.h>
static std::atomic<int> sum;
static void *worker(void *argument)
{
	try {
		throw *static_cast<int *>(argument);
	} catch (int i) {
		try {
			throw;
		} catch (int j) {
			sum.fetch_add(i + j, std::memory_order_relaxed);
		}
	}
	return nullptr;
}
int main()
{
	pthread_t threads[2];
	int numbers[2] = {1, 10};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, worker, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], nullptr);
	assert(sum == 22);
}
