// What comes first is left open: an assertion inside of an atomic section fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int x, y;

static void *t(void *p)
{
	__VERIFIER_atomic_begin();
	atomic_store(&x, 1);
	atomic_store(&y, 1);
	__VERIFIER_atomic_end();
	return 0;
}

void __VERIFIER_atomic_look(void)
{
	int a = atomic_load(&x), b = atomic_load(&y);
	assert(a == b);
	assert(a == 0); //~ ERROR[assertion]
}

int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, t, 0);
	__VERIFIER_atomic_look();
	pthread_join(a, 0);
	return 0;
}
