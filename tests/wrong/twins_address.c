/* Two threads run the same function and compare the addresses of their variables: which is the larger one is not known. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uintptr_t last;

static void *compare(void *unused)
{
	volatile int mine = 0;
	uintptr_t other = atomic_exchange_explicit(&last, (uintptr_t)&mine, memory_order_relaxed);

	assert(other == 0 || other < (uintptr_t)&mine); //~ ERROR[assertion]
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
