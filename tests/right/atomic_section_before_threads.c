// Sections of one thread alone, and sections that are empty.
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

static int x;

static void *t(void *p)
{
	__VERIFIER_atomic_begin();
	__VERIFIER_atomic_end();
	__VERIFIER_atomic_begin();
	x++;
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t a;
	__VERIFIER_atomic_begin();
	x = 1;
	__VERIFIER_atomic_end();
	pthread_create(&a, 0, t, 0);
	pthread_join(a, 0);
	__VERIFIER_atomic_begin();
	x++;
	__VERIFIER_atomic_end();
	assert(x == 3);
	return 0;
}
