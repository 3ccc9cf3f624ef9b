// An `std::exception_ptr` keeps its exception alive.
#include <cassert>
#include <exception>
static int alive;
struct Counted {
	int id;
	Counted(int id) : id(id) { alive++; }
	Counted(const Counted &it) : id(it.id) { alive++; }
	~Counted() { alive--; }
};
int main()
{
	std::exception_ptr kept, copy, none = std::current_exception();
	assert(!none);
	try {
		throw Counted(4);
	} catch (...) {
		kept = std::current_exception();
	}
	assert(alive == 1);
	copy = kept;
	for (int i = 0; i < 2; i++) {
		try {
			std::rethrow_exception(i ? kept : copy);
		} catch (Counted &it) {
			assert(it.id == 4 + i);
			it.id++;
			assert(std::current_exception() == kept);
		}
	}
	kept = nullptr;
	assert(alive == 1);
	copy = nullptr;
	assert(alive == 0);
	kept = std::make_exception_ptr(Counted(6));
	assert(alive == 1);
	try {
		std::rethrow_exception(kept);
	} catch (const Counted &it) {
		assert(it.id == 6);
	}
	kept = nullptr;
	assert(alive == 0);
}
