// A constructor throws: what was made is destroyed, the object itself never was, and its memory is given back.
#include <cassert>
#include <new>
static int made, destroyed;
struct Part {
	Part() { made++; }
	~Part() { destroyed++; }
};
struct Base {
	Part part;
};
struct Whole : Base {
	Part first, second;
	bool is_done = false;
	Whole()
	{
		Part local;
		throw 5;
	}
	~Whole() { assert(false); }
};
static int at;
struct Third {
	Third()
	{
		if (++at == 3)
			throw 'x';
		made++;
	}
	~Third() { destroyed++; }
};
int main()
{
	int caught = 0;
	try {
		Whole whole;
	} catch (int i) {
		caught += i;
	}
	assert(made == 4 && destroyed == 4);
	try {
		new Whole();
	} catch (int i) {
		caught += i;
	}
	assert(made == 8 && destroyed == 8);
	try {
		Third thirds[5];
	} catch (char) {
		caught++;
	}
	assert(made == 10 && destroyed == 10 && caught == 11);
}
