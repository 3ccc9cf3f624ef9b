// Two threads hand a value to and fro with `std::binary_semaphore`. -DBUG: it is handed over before it is written.
#include <cassert>
#include <semaphore>
#include <thread>

std::binary_semaphore request(0), answer(0);
int value;

int main()
{
	std::thread server([] {
		request.acquire();
#ifdef BUG
		answer.release();
		value *= 2; //~ ERROR[data-race]
#else
		value *= 2;
		answer.release();
#endif
	});
	value = 21;
	request.release();
	answer.acquire();
	assert(value % 21 == 0); //~ ALSO
	server.join();
}
