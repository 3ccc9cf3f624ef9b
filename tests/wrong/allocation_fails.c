/* Nobody looks whether the allocation has failed. */
#include <pthread.h>
#include <stdlib.h>

static void *thread(void *unused)
{
	int *p = malloc(sizeof *p);

	*p = 1; //~ ERROR[invalid-access]
	free(p);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
