// An exception comes up through many calls, each with something to destroy.
#include <cassert>
static int alive, most;
struct Level {
	Level()
	{
		if (++alive > most)
			most = alive;
	}
	~Level() { alive--; }
};
static void down(int n)
{
	Level level;
	if (n == 0)
		throw alive;
	down(n - 1);
}
int main()
{
	int depth = 0;
	try {
		down(50);
	} catch (int i) {
		depth = i;
	}
	assert(depth == 51 && most == 51 && alive == 0);
}
