// A callback of a stop source runs once, in the thread that stops it or in the one that registers it. -DBUG: it is read before
// anything has synchronised with that.
#include <cassert>
#include <stop_token>
#include <thread>

int main()
{
	std::stop_source source;
	int called = 0;
	std::thread thread([token = source.get_token(), &called] {
		std::stop_callback callback(token, [&called] { called++; }); //~ ALSO
		while (!token.stop_requested())
			;
	});
	source.request_stop();
#ifdef BUG
	assert(called <= 1); //~ ERROR[data-race]
#endif
	thread.join();
	assert(called == 1);
}
