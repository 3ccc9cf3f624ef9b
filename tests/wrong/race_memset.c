/* memset writes every byte. */
#include <pthread.h>
#include <string.h>

static int array[4];

static void *clear(void *unused)
{
	memset(array, 0, sizeof array); //~ ERROR[data-race]
	return NULL;
}

static void *set(void *unused)
{
	array[2] = 1; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, clear, NULL);
	pthread_create(&b, NULL, set, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
