/* A load and a store are no increment: one of the two is lost. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
	int before = atomic_load(&counter);

	atomic_store(&counter, before + 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(atomic_load(&counter) == 2); //~ ERROR[assertion]
	return 0;
}
