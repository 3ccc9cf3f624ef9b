/* memcpy reads every byte of its source. */
#include <pthread.h>
#include <string.h>

static char source[8], target[8];

static void *copy(void *unused)
{
	memcpy(target, source, sizeof target); //~ ERROR[data-race]
	return NULL;
}

static void *change(void *unused)
{
	source[7] = 'x'; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, copy, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
