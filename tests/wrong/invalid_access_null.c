/* Nobody has set the pointer yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int value = 42;
static int *_Atomic shared;

static void *publish(void *unused)
{
	atomic_store(&shared, &value);
	return NULL;
}

static void *use(void *unused)
{
	int *p = atomic_load(&shared);

	printf("%d\n", *p); //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
