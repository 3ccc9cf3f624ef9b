/*
 * Java causality tests 19 and, with -DTC20, 20: tests 17 and 18 with the first half of a thread as a thread of its own,
 * which the rest joins. Java allows that all read 42. Here a join orders what is before and after it, as an acquire
 * does, and nothing else lets the third thread read 42. (tests/litmus/java has them without the join.)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r1, r2, r3;

static void *third(void *unused)
{
	r3 = atomic_load_explicit(&x, memory_order_relaxed);
#ifdef TC20
	if (r3 == 0)
#else
	if (r3 != 42)
#endif
		atomic_store_explicit(&x, 42, memory_order_relaxed);
	return NULL;
}

static void *first(void *joins)
{
	pthread_join((pthread_t)joins, NULL);
	r1 = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r1, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	r2 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r2, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[2], NULL, third, NULL);
	pthread_create(&threads[0], NULL, first, (void *)threads[2]);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
#ifdef CHECK
	assert(!(r1 == 42 && r2 == 42 && r3 == 42));
#endif
	return 0;
}
