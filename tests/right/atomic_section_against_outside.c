// No other thread runs in an atomic section, also if it does not use sections.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int x;

void *increments(void *_)
{
	__VERIFIER_atomic_begin();
	int r = x;
	x = r + 1;
	__VERIFIER_atomic_end();
	return 0;
}

void *adds(void *_)
{
	x++;
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, increments, 0);
	pthread_create(&b, 0, adds, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(x == 2);
}
