// Static objects are made in order, and destroyed the other way round after `main`; one of them owns a thread. -DBUG: one
// is never destroyed.
#include <cassert>
#include <thread>

struct tracked {
	int &counter;
	int at;
	explicit tracked(int &counter) : counter(counter), at(counter++) {}
	~tracked()
	{
		counter--;
		assert(counter == at); //~ ERROR[assertion]
	}
};

int living;
tracked first(living), second(living);

struct owner {
	std::thread thread;
	owner() : thread([] {}) {}
	~owner() { thread.join(); }
};

owner worker;
#ifdef BUG
tracked *third = new tracked(living);
#else
tracked third(living);
#endif

int main()
{
	assert(living == 3);
}
