// Exceptions in handlers: the inner one is over before the outer one is.
#include <cassert>
static int alive;
struct Counted {
	int id;
	Counted(int id) : id(id) { alive++; }
	Counted(const Counted &it) : id(it.id) { alive++; }
	~Counted() { alive--; }
};
int main()
{
	int sum = 0;
	try {
		throw Counted(1);
	} catch (const Counted &outer) {
		try {
			throw Counted(2);
		} catch (const Counted &inner) {
			assert(alive == 2);
			sum += 10 * inner.id;
			try {
				throw 3;
			} catch (int i) {
				sum += 100 * i;
			}
		}
		assert(alive == 1);
		sum += outer.id;
	}
	assert(alive == 0 && sum == 321);
}
