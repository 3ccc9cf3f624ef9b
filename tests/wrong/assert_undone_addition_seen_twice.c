/*
 * One thread fails twice and undoes its addition each time; one observer sees the first attempt and that it was undone, the
 * other one sees the second attempt.
 * FIXME: with --spin=dynamic and all, the execution is not explored, and the program is said to be verified. The thread
 * undoes its second attempt only when somebody has seen the first one; that load is not in the prefix of what it does
 * then, and is no maximal one, so that nothing older than the load is revisited: not the subtraction of `second`.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int found, before, after;

static void *second(void *unused)
{
	found = atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
	if (found == 1)
		return NULL;
	atomic_fetch_sub_explicit(&x, 1, memory_order_acq_rel);
	return NULL;
}

static void *attempts(void *unused)
{
	while (atomic_fetch_add_explicit(&x, 2, memory_order_acq_rel) != 1)
		atomic_fetch_sub_explicit(&x, 2, memory_order_acq_rel);
	atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
	return NULL;
}

static void *first(void *unused)
{
	before = atomic_load_explicit(&x, memory_order_acquire);
	after = atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, second, NULL);
	pthread_create(&b, NULL, attempts, NULL);
	pthread_create(&c, NULL, first, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	assert(!(found == 2 && before == 2 && after == 0)); //~ ERROR[assertion]
	return 0;
}
