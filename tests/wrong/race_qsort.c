/* qsort moves elements that another thread looks at: told of at the call, and in the comparison. */
#include <pthread.h>
#include <stdlib.h>

static int numbers[3] = {3, 1, 2};

static int upwards(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *sort(void *unused)
{
	qsort(numbers, 3, sizeof *numbers, upwards); //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int first;

	pthread_create(&thread, NULL, sort, NULL);
	first = numbers[0]; //~ ALSO
	pthread_join(thread, NULL);
	return first == 0;
}
