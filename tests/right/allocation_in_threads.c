/* Every thread uses its own heap, nobody meets. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *run(void *unused)
{
	int *stack = NULL;

	for (int size = 1; size <= 4; size++) {
		stack = realloc(stack, (size_t)size * sizeof *stack);
		stack[size - 1] = size;
	}
	assert(stack[0] + stack[3] == 5);
	free(stack);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
