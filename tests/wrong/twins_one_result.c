/* Only one of two threads that run the same function is asked what it has drawn. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int tickets;

static void *draw(void *unused)
{
	return (void *)(intptr_t)atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
}

int main(void)
{
	pthread_t a, b;
	void *first;

	pthread_create(&a, NULL, draw, NULL);
	pthread_create(&b, NULL, draw, NULL);
	pthread_join(a, &first);
	assert((intptr_t)first == 0); //~ ERROR[assertion]
	return 0;
}
