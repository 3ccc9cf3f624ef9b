/* Nidhugg's exchange that waits for a value: a thread that finds another one writes nothing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define EQUAL 2
#define NOT_EQUAL 5

int __VERIFIER_load_await_aint(atomic_int *at, int relation, int other);
int __VERIFIER_xchg_await_aint(atomic_int *at, int value, int relation, int other);

static atomic_int lock, open;
static int guarded;

static void *work(void *unused)
{
	__VERIFIER_load_await_aint(&open, NOT_EQUAL, 0);
	assert(__VERIFIER_xchg_await_aint(&lock, 1, EQUAL, 0) == 0);
	guarded++;
	atomic_store(&lock, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	atomic_store(&open, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(guarded == 2);
	return 0;
}
