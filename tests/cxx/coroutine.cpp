// A coroutine that is resumed by another thread than the one that began it. -DBUG: it is handed over without release.
#include <atomic>
#include <cassert>
#include <coroutine>
#include <thread>

#ifdef BUG
constexpr auto PUBLISH = std::memory_order_relaxed;
#else
constexpr auto PUBLISH = std::memory_order_release;
#endif

struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
	~task() { handle.destroy(); }
};

std::atomic<void *> waiting{nullptr};
int result;

struct handed_over {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> it) { waiting.store(it.address(), PUBLISH); } //~ ERROR[data-race]
	void await_resume() {}
};

task work(int n)
{
	int local = n + 1;
	co_await handed_over{};
	result = local;
}

std::coroutine_handle<> taken()
{
	void *it;
	while (!(it = waiting.load(std::memory_order_acquire)))
		;
	return std::coroutine_handle<>::from_address(it);
}

int main()
{
	std::thread other([] {
		taken().resume(); //~ ALSO
	});
	task it = work(4);
	other.join();
	assert(result == 5);
}
