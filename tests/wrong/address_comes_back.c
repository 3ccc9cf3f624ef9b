/* The allocator may give a block out again that it has just got back. With ZEROED the block is cleared, which is no difference. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef ZEROED
#define ALLOCATE() calloc(1, 24)
#else
#define ALLOCATE() malloc(24)
#endif

static void *thread(void *unused)
{
	void *first = ALLOCATE(), *second;

	free(first);
	second = ALLOCATE();
	assert(second != first); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
