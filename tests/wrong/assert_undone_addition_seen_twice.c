/*
 * One thread fails twice and undoes its addition each time; one observer sees the first attempt and that it was undone, the
 * other one sees the second attempt.
 * Whether the thread may go on after the first attempt must not depend on who has seen it: that load is not in the prefix of
 * what the thread does then, so it would be in the way of revisits of what is older.
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
