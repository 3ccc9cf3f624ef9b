/* A lock by compare-exchange; who does not get it is of no interest. Executions: 3!. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int lock;
static int counter;

static void *count(void *unused)
{
	int free_lock = 0;

	__VERIFIER_assume(atomic_compare_exchange_strong_explicit(&lock, &free_lock, 1, memory_order_acquire,
															  memory_order_relaxed));
	counter++;
	atomic_store_explicit(&lock, 0, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_create(&c, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	assert(counter == 3);
	return 0;
}
