/* A thread creates a thread, which creates another. */
#include <assert.h>
#include <pthread.h>

static int depth;

static void *descend(void *unused)
{
	pthread_t child;

	if (++depth == 3)
		return NULL;
	pthread_create(&child, NULL, descend, NULL);
	pthread_join(child, NULL);
	return NULL;
}

int main(void)
{
	pthread_t child;

	pthread_create(&child, NULL, descend, NULL);
	pthread_join(child, NULL);
	assert(depth == 3);
	return 0;
}
