/* An atomic section that never ends: nobody sees what it has stored, and nothing runs to its end. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static atomic_int x, y;

static void *holds(void *unused)
{
	__VERIFIER_atomic_begin();
	atomic_store_explicit(&x, 1, memory_order_relaxed);
#ifdef SPINS
	while (!atomic_load_explicit(&y, memory_order_relaxed))
		;
#else
	__VERIFIER_assume(0);
#endif
	atomic_store_explicit(&x, 0, memory_order_relaxed);
	__VERIFIER_atomic_end();
	return NULL;
}

static void *looks(void *unused)
{
	assert(atomic_load_explicit(&x, memory_order_relaxed) == 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, holds, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
