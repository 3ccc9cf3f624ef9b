// The load and the store are each atomic, both together are not: an addition comes in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int x;

static void *t(void *p)
{
	int r;
	__VERIFIER_atomic_begin();
	r = atomic_load(&x);
	__VERIFIER_atomic_end();
	__VERIFIER_atomic_begin();
	atomic_store(&x, r + 1);
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, t, 0);
	atomic_fetch_add(&x, 1);
	pthread_join(a, 0);
	assert(x == 2); //~ ERROR[assertion]
	return 0;
}
