/* Atomic accesses of sixteen bytes in C are refused where they are reached; `cmpxchg16b` is not. */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic __int128 x;

static void *add(void *unused)
{
#ifdef EXCHANGE
	atomic_exchange(&x, 1);
#elif defined LOAD
	return (void *)(long)atomic_load(&x);
#elif defined STORE
	atomic_store(&x, 2);
#endif
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	pthread_join(t, NULL);
	return 0;
}
