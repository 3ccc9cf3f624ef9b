/* Two threads sort the halves of an array by recursion. */
#include <assert.h>
#include <pthread.h>

static int numbers[8] = {7, 3, 1, 5, 2, 8, 6, 4};

static void sort(int *first, int *last)
{
	int *middle = first;

	if (last - first < 2)
		return;
	for (int *p = first + 1; p < last; p++) {
		if (*p < *first) {
			int swap = *++middle;

			*middle = *p;
			*p = swap;
		}
	}
	int pivot = *first;

	*first = *middle;
	*middle = pivot;
	sort(first, middle);
	sort(middle + 1, last);
}

static void *sort_half(void *half)
{
	sort(half, (int *)half + 4);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sort_half, numbers);
	pthread_create(&b, NULL, sort_half, numbers + 4);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(numbers[0] == 1 && numbers[3] == 7 && numbers[4] == 2 && numbers[7] == 8);
	return 0;
}
