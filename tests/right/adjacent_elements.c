/* Every thread has its own element, main adds them up. */
#include <assert.h>
#include <pthread.h>

static int results[3];

static void *square(void *arg)
{
	int *result = arg;
	int n = (int)(result - results);

	*result = n * n;
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, square, &results[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(results[0] + results[1] + results[2] == 5);
	return 0;
}
