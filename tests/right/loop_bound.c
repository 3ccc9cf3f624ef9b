/* The program itself bounds its loops: the bound is hit or not, and other loops have none. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threadbare.h>

#ifndef BOUND
#define BOUND 4
#endif

static atomic_int x;

static void *adds(void *unused)
{
	__VERIFIER_loop_bound(BOUND);
	for (int i = 0; i < 3; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	for (int i = 0; i < 2; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, adds, NULL);
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	assert(atomic_load_explicit(&x, memory_order_relaxed) <= 6);
	return 0;
}
