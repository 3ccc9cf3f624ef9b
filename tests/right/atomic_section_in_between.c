// Nobody sees what an atomic section has done before it ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int x;

static void *there_and_back(void *p)
{
	__VERIFIER_atomic_begin();
	atomic_store(&x, 1);
	atomic_store(&x, 0);
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, there_and_back, 0);
	assert(atomic_load(&x) == 0);
	pthread_join(t, 0);
	return 0;
}
