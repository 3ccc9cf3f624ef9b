/* A thread expects to be first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int arrivals;

static void *early(void *unused)
{
	assert(atomic_fetch_add(&arrivals, 1) == 0); //~ ERROR[assertion]
	return NULL;
}

static void *late(void *unused)
{
	atomic_fetch_add(&arrivals, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, early, NULL);
	pthread_create(&b, NULL, late, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
