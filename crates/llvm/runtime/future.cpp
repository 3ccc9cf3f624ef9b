// `std::future` and its kin: the part of the shared state that is not in headers, and the futex that its threads wait on.
#include <cerrno>
#include <climits>
#include <future>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace std {

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// The time limit is not looked at: whether it is over is a choice of the futex.
static bool wait(unsigned *word, unsigned value, bool has_limit)
{
	timespec limit = {1, 0};
	long answer = syscall(SYS_futex, word, FUTEX_WAIT, value, has_limit ? &limit : nullptr);
	return !(answer == -1 && errno == ETIMEDOUT);
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned value, bool has_limit, chrono::seconds,
						       chrono::nanoseconds)
{
	return wait(word, value, has_limit);
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned value, bool has_limit,
							      chrono::seconds, chrono::nanoseconds)
{
	return wait(word, value, has_limit);
}

void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX);
}

}
