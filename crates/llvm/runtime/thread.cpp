// `std::thread`: threads of POSIX.
#include <cerrno>
#include <pthread.h>
#include <thread>

extern "C" int get_nprocs(void);

// A thread owns its function and arguments, and destroys them before it ends. Reports name threads after this function.
static void *run(void *state) __asm__("std::thread");
static void *run(void *state)
{
	std::thread::_State_ptr owned{static_cast<std::thread::_State *>(state)};
	owned->_M_run();
	return nullptr;
}

namespace std {

thread::_State::~_State() = default;

void thread::_M_start_thread(_State_ptr state, void (*)())
{
	if (int error = pthread_create(&_M_id._M_thread, nullptr, run, state.get()))
		__throw_system_error(error);
	state.release();
}

void thread::join()
{
	int error = EINVAL;
	if (joinable())
		error = pthread_join(_M_id._M_thread, nullptr);
	if (error)
		__throw_system_error(error);
	_M_id = id();
}

void thread::detach()
{
	if (!joinable())
		__throw_system_error(EINVAL);
	pthread_detach(_M_id._M_thread);
	_M_id = id();
}

unsigned thread::hardware_concurrency() noexcept { return get_nprocs(); }

}
