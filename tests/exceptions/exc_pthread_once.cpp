// An exception leaves `pthread_once`: the next call runs the function again.
#include <cassert>
#include <pthread.h>
static pthread_once_t control = PTHREAD_ONCE_INIT;
static int calls;
static void first()
{
	if (++calls == 1)
		throw 1;
}
int main()
{
	int caught = 0;
	for (int i = 0; i < 3; i++) {
		try {
			pthread_once(&control, first);
		} catch (int) {
			caught++;
		}
	}
	assert(calls == 2 && caught == 1);
}
