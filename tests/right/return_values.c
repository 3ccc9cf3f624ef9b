/* Threads return heap objects to who joins them. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int inputs[2] = {3, 5};

static void *square(void *input)
{
	int *result = malloc(sizeof *result);

	*result = *(int *)input * *(int *)input;
	return result;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, square, &inputs[i]);
	for (int i = 0; i < 2; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += *(int *)result;
		free(result);
	}
	assert(sum == 34);
	return 0;
}
