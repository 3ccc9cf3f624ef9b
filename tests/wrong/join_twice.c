/* A thread can be joined once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *first(void *unused)
{
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_create(&a, NULL, first, NULL);
	pthread_join(a, NULL);
	pthread_join(a, NULL); //~ ERROR[invalid-access]
	return 0;
}
