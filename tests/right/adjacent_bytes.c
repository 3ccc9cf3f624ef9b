/* Neighbouring bytes are different locations. */
#include <assert.h>
#include <pthread.h>

static char bytes[2];

static void *first(void *unused)
{
	bytes[0] = 'a';
	return NULL;
}

static void *second(void *unused)
{
	bytes[1] = 'b';
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(bytes[0] == 'a' && bytes[1] == 'b');
	return 0;
}
