// The body of a function whose name begins with __VERIFIER_atomic_ is an atomic section, all of it: also what it calls, and
// whichever way it returns.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef INLINE
#define HOW __attribute__((always_inline)) static inline
#else
#define HOW __attribute__((noinline))
#endif

atomic_int x, y;

HOW int __VERIFIER_atomic_add(int n)
{
	if (n == 0)
		return -1;
	int old = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&x, old + n, memory_order_relaxed);
	return old;
}

HOW void __VERIFIER_atomic_both(void)
{
	__VERIFIER_atomic_add(1);
	__VERIFIER_atomic_add(0);
	atomic_store_explicit(&y, atomic_load_explicit(&x, memory_order_relaxed), memory_order_relaxed);
}

static void *a(void *p)
{
	__VERIFIER_atomic_both();
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, a, 0);
	int old = __VERIFIER_atomic_add(1);
	assert(atomic_load_explicit(&y, memory_order_relaxed) == 0 || old == 0 || old == 1);
	pthread_join(t, 0);
	assert(x == 2 && y == (old == 0 ? 2 : 1));
	return 0;
}
