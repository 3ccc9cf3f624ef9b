/* Two pointers to the same element of an array. */
#include <pthread.h>

static int array[4];
static int *const cursor = &array[3];

static void *by_pointer(void *unused)
{
	*cursor = 1; //~ ERROR[data-race]
	return NULL;
}

static void *by_index(void *unused)
{
	for (int i = 3; i < 4; i++)
		array[i] = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, by_pointer, NULL);
	pthread_create(&b, NULL, by_index, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
