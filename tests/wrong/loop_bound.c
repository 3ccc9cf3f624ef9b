/* The bound of the first loop is not that of the second: what is wrong after four rounds of that is found. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threadbare.h>

static atomic_int x;

static void *adds(void *unused)
{
	__VERIFIER_loop_bound(3);
	for (int i = 0; i < 2; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	for (int i = 0; i < 4; i++)
		atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, adds, NULL);
	assert(atomic_load_explicit(&x, memory_order_relaxed) < 6); //~ ERROR[assertion]
	pthread_join(thread, NULL);
	return 0;
}
