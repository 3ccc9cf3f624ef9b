/* Two threads run the same function, but what they return is told apart: the first one need not be the first. */
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
	void *first, *second;

	pthread_create(&a, NULL, draw, NULL);
	pthread_create(&b, NULL, draw, NULL);
	pthread_join(a, &first);
	pthread_join(b, &second);
	assert((intptr_t)first < (intptr_t)second); //~ ERROR[assertion]
	return 0;
}
