/* No execution gets past the assumption: there is nothing behind a verdict. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_assume(int);

static atomic_int x;

static void *work(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
#ifdef IN_THREAD
	__VERIFIER_assume(0);
#endif
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
#ifndef IN_THREAD
	pthread_join(thread, NULL);
	__VERIFIER_assume(atomic_load_explicit(&x, memory_order_relaxed) == 2);
#endif
	return 0;
}
