/* Two threads run the same function, and ask who they are. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned long last;

static void *compare(void *unused)
{
	unsigned long mine = (unsigned long)pthread_self();

	assert(atomic_exchange_explicit(&last, mine, memory_order_relaxed) < mine); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, compare, NULL);
	pthread_create(&b, NULL, compare, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
