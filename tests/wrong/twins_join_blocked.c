/* Of two threads that run the same function, one never ends; main waits for one of them, and may go on. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int);

static atomic_int tickets;

static void *draw(void *unused)
{
	__VERIFIER_assume(atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed) != 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, draw, NULL);
	pthread_create(&b, NULL, draw, NULL);
	pthread_join(a, NULL);
	assert(0); //~ ERROR[assertion]
	return 0;
}
