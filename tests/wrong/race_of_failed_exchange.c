/*
 * The owner of a lock looks at its word plainly while another thread tries to take it: an exchange that finds the lock taken
 * changes nothing, but it writes, and that is a data race. No exchange that succeeds races with the look.
 */
#include <pthread.h>

static int lock = 1;
static int seen;

static void *waiter(void *unused)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) //~ ALSO
		;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, waiter, NULL);
	seen = lock; //~ ERROR[data-race]
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return 0;
}
