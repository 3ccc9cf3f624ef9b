// The C++ runtime natively, in the place of the library's own: what it does is what the standard says.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// What is refused there is not reached here.
extern "C" void __threadbare_unmodelled(const char *) { std::abort(); }

static unsigned seed = 1;
static unsigned number(unsigned below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; }

// Insertions and removals in any order: the tree is balanced, and has what a sorted vector has.
static void trees()
{
	for (int round = 0; round < 200; round++) {
		std::map<unsigned, unsigned> map;
		std::vector<bool> has(64);
		for (int step = 0; step < 200; step++) {
			unsigned key = number(64);
			if (number(2)) {
				map[key] = key + 1;
				has[key] = true;
			} else {
				assert(map.erase(key) == has[key]);
				has[key] = false;
			}
			assert(map._M_t.__rb_verify());
		}
		unsigned from = 0;
		for (auto [key, value] : map) {
			while (!has[from])
				from++;
			assert(key == from++ && value == key + 1);
		}
		unsigned count = 0;
		for (auto at = map.end(); at != map.begin(); count++)
			--at;
		assert(count == map.size());
	}
}

static void lists()
{
	std::list<int> a{1, 2, 3, 4}, b{5, 6}, empty;
	a.splice(std::next(a.begin()), b);
	assert((a == std::list<int>{1, 5, 6, 2, 3, 4}) && b.empty());
	a.reverse();
	assert((a == std::list<int>{4, 3, 2, 6, 5, 1}));
	a.splice(a.begin(), a, std::prev(a.end()));
	assert((a == std::list<int>{1, 4, 3, 2, 6, 5}));
	b.push_back(9);
	a.swap(b);
	assert(a.size() == 1 && b.size() == 6 && a.front() == 9 && b.back() == 5);
	a.swap(empty);
	assert(a.empty() && empty.front() == 9);
	b.sort();
	assert((b == std::list<int>{1, 2, 3, 4, 5, 6}));
	b.erase(std::next(b.begin(), 2));
	assert((b == std::list<int>{1, 2, 4, 5, 6}));
}

static void hash_tables()
{
	std::unordered_map<std::string, unsigned> map;
	for (unsigned i = 0; i < 500; i++) {
		map[std::to_string(i)] = i;
		assert(map.load_factor() <= map.max_load_factor());
	}
	for (unsigned i = 0; i < 500; i += 2)
		assert(map.erase(std::to_string(i)) == 1);
	for (unsigned i = 0; i < 500; i++)
		assert(map.count(std::to_string(i)) == i % 2);
	std::unordered_map<int, int> some;
	some.reserve(100);
	auto buckets = some.bucket_count();
	for (int i = 0; i < 100; i++)
		some[i] = i;
	assert(some.bucket_count() == buckets && buckets >= 100);
}

static void threads()
{
	std::mutex mutex;
	std::condition_variable changed;
	bool ready = false;
	std::thread thread([&] {
		std::lock_guard lock(mutex);
		ready = true;
		changed.notify_all();
	});
	{
		std::unique_lock lock(mutex);
		changed.wait(lock, [&] { return ready; });
	}
	assert(thread.joinable());
	thread.join();
	assert(!thread.joinable() && std::thread::hardware_concurrency() > 0);
	std::once_flag once;
	int calls = 0;
	for (int i = 0; i < 3; i++)
		std::call_once(once, [&] { calls++; });
	assert(calls == 1);
}

static void futures()
{
	std::promise<int> promise;
	auto future = promise.get_future();
	assert(future.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
	std::thread thread([&] { promise.set_value(5); });
	assert(future.get() == 5);
	thread.join();
	assert(std::async(std::launch::async, [] { return 6; }).get() == 6);
	std::packaged_task<int(int)> task([](int n) { return n + 1; });
	task(6);
	assert(task.get_future().get() == 7);
	assert(std::chrono::steady_clock::now().time_since_epoch().count() > 0);
	assert(std::chrono::system_clock::now().time_since_epoch() > std::chrono::hours(24 * 365 * 50));
}

static void memory()
{
	char bytes[64];
	std::pmr::monotonic_buffer_resource buffer(bytes, sizeof bytes);
	std::pmr::vector<std::pmr::string> texts(&buffer);
	for (int i = 0; i < 40; i++)
		texts.emplace_back("a text that does not fit into a string object");
	assert(texts.size() == 40 && texts[39].get_allocator().resource() == &buffer);
	auto *aligned = buffer.allocate(8, 64);
	assert(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
	assert(std::pmr::get_default_resource() == std::pmr::new_delete_resource());
	assert(std::pmr::set_default_resource(&buffer) == std::pmr::new_delete_resource());
	assert(std::pmr::get_default_resource() == &buffer);
	std::pmr::set_default_resource(nullptr);
	auto shared = std::make_shared<int>(1);
	auto other = std::atomic_load(&shared);
	assert(other.use_count() == 2);
	struct alignas(128) wide {
		char c;
	};
	auto it = std::make_unique<wide>();
	assert(reinterpret_cast<std::uintptr_t>(it.get()) % 128 == 0);
}

int main()
{
	trees();
	lists();
	hash_tables();
	threads();
	futures();
	memory();
}
