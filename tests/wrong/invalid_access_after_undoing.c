/*
 * Who finds the lock taken undoes its addition, and then looks at a hint before it tries again; there is none.
 * Attempts in vain need not be made, but what is wrong after them must be found all the same.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int owners;
static int counter;

static void *work(void *argument)
{
	atomic_int *hint = argument;

	while (atomic_fetch_add_explicit(&owners, 1, memory_order_acquire) != 0) {
		atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed);
		while (atomic_load_explicit(hint, memory_order_relaxed) != 0) //~ ERROR[invalid-access]
			;
	}
	counter++;
	atomic_fetch_sub_explicit(&owners, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
