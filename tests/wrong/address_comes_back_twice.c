/* The same address a third time: the second block that was there is no other place than the first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static _Atomic(void *) published;

static void *thread(void *unused)
{
	void *first = malloc(24), *second, *third;

	atomic_store(&published, first);
	free(first);
	second = malloc(24);
	if (second != first)
		return NULL;
	free(second);
	third = malloc(24);
	assert(third != first); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
