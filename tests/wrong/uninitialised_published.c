/* The object is handed over properly, but nobody has written its second field. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
	int first, second;
};

static struct pair *_Atomic shared;

static void *publish(void *unused)
{
	struct pair *pair = malloc(sizeof *pair);

	pair->first = 1;
	atomic_store_explicit(&shared, pair, memory_order_release);
	return NULL;
}

static void *use(void *unused)
{
	struct pair *pair = atomic_load_explicit(&shared, memory_order_acquire);

	if (pair && pair->second == 2) //~ ERROR[uninitialised-read]
		puts("two");
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(atomic_load(&shared));
	return 0;
}
