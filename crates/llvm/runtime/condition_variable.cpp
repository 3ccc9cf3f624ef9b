// `std::condition_variable`: that of POSIX. Waiting is part of the code that waits, so that its loop is seen to wait.
#include <condition_variable>

namespace std {

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept = default;
INLINE void condition_variable::wait(unique_lock<mutex> &lock)
{
	pthread_cond_wait(_M_cond.native_handle(), lock.mutex()->native_handle());
}
INLINE void condition_variable::notify_one() noexcept { pthread_cond_signal(_M_cond.native_handle()); }
INLINE void condition_variable::notify_all() noexcept { pthread_cond_broadcast(_M_cond.native_handle()); }

// When the thread ends, it gives back the lock and notifies.
struct notifier {
	condition_variable &condition;
	mutex *locked;
	notifier(condition_variable &condition, mutex *locked) : condition(condition), locked(locked) {}
	~notifier()
	{
		locked->unlock();
		condition.notify_all();
	}
};

extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *) noexcept;

void notify_all_at_thread_exit(condition_variable &condition, unique_lock<mutex> lock)
{
	auto notify = [](void *it) { delete static_cast<notifier *>(it); };
	__cxa_thread_atexit(notify, new notifier(condition, lock.release()), nullptr);
}

}
