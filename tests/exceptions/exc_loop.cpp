// Exceptions in loops, with `break` and `continue` around them.
#include <cassert>
static int odd(int n)
{
	if (n % 2 == 0)
		throw n;
	return n;
}
int main()
{
	int sum = 0, caught = 0;
	for (int i = 0; i < 10; i++) {
		try {
			sum += odd(i);
		} catch (int even) {
			if (even == 8)
				break;
			caught++;
			continue;
		}
		sum += 100;
	}
	assert(sum == 416 && caught == 4);
}
