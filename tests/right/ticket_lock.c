/* A ticket lock; who is not served at the first look is of no interest. Executions: 3!. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int tickets, serving;
static int counter;

static void *count(void *unused)
{
	int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);

	__VERIFIER_assume(atomic_load_explicit(&serving, memory_order_acquire) == mine);
	counter++;
	atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
