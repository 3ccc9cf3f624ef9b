/* A program without threads has one execution. */
#include <assert.h>

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	assert(fibonacci(12) == 144);
	return 0;
}
