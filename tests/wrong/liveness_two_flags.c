/* Two threads, each of which waits for the other before it lets the other go on. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a, b;

static void *first(void *unused)
{
	while (!atomic_load(&b)) //~ ERROR[liveness]
		;
	atomic_store(&a, 1);
	return NULL;
}

static void *second(void *unused)
{
#ifndef RIGHT
	while (!atomic_load(&a)) //~ ALSO
		;
	atomic_store(&b, 1);
#else
	atomic_store(&b, 1);
	while (!atomic_load(&a))
		;
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
