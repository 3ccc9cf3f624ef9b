/* Two plain writes, nothing between them. */
#include <pthread.h>

static int x;

static void *one(void *unused)
{
	x = 1; //~ ERROR[data-race]
	return NULL;
}

static void *two(void *unused)
{
	x = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
