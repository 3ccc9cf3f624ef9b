/* One thread frees what the other reads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *object;

static void *reader(void *unused)
{
	printf("%d\n", *object); //~ ERROR[use-after-free]
	return NULL;
}

static void *owner(void *unused)
{
	free(object); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	object = calloc(1, sizeof *object);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, owner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
