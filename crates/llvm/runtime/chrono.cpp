// The clocks of `<chrono>`: those of POSIX.
#include <chrono>
#include <ctime>

static std::chrono::nanoseconds now(clockid_t clock)
{
	timespec time;
	clock_gettime(clock, &time);
	return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

namespace std::chrono {
inline namespace _V2 {

system_clock::time_point system_clock::now() noexcept { return time_point(::now(CLOCK_REALTIME)); }
steady_clock::time_point steady_clock::now() noexcept { return time_point(::now(CLOCK_MONOTONIC)); }

}
}
