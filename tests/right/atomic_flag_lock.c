/* A lock made of an atomic_flag; who finds it set is of no interest. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter;

static void *count(void *unused)
{
	__VERIFIER_assume(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
	counter++;
	atomic_flag_clear_explicit(&flag, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
	return 0;
}
