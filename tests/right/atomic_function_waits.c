// A lock as benchmarks of verifiers have it: to take it is an atomic function with an assumption.
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

static int m, data;

void __VERIFIER_atomic_acquire(void)
{
	__VERIFIER_assume(m == 0);
	m = 1;
}

void __VERIFIER_atomic_release(void)
{
	assert(m == 1);
	m = 0;
}

static void *t(void *p)
{
	__VERIFIER_atomic_acquire();
	data++;
	__VERIFIER_atomic_release();
	return 0;
}

int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, t, 0);
	t(0);
	pthread_join(a, 0);
	assert(data == 2);
	return 0;
}
