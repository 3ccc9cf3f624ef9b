/* Each thread has its own value; destructors run at the end of a thread, again for a value that a destructor has set, and not
 * for a null pointer. What the threads share they do not look at: 1 execution. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t first, second, heap, unused_key;
static int destroyed[2];
static int *shared[2];

static void destroy_first(void *value)
{
	assert(pthread_getspecific(first) == NULL);
	pthread_setspecific(second, value);
}

static void destroy_second(void *value)
{
	++*(int *)value;
}

static void never(void *value)
{
	abort();
}

static void *run(void *value)
{
	int index = value == &destroyed[1];

	assert(pthread_getspecific(first) == NULL);
	pthread_setspecific(first, value);
	shared[index] = malloc(sizeof(int));
	pthread_setspecific(heap, shared[index]);
	pthread_setspecific(unused_key, value);
	pthread_setspecific(unused_key, NULL);
	assert(pthread_getspecific(first) == value);
	if (value == &destroyed[1])
		pthread_exit(value);
	return value;
}

int main(void)
{
	pthread_t threads[2];

	pthread_key_create(&second, destroy_second);
	pthread_key_create(&first, destroy_first);
	pthread_key_create(&heap, free);
	pthread_key_create(&unused_key, never);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &destroyed[i]);
	for (int i = 0; i < 2; i++) {
		void *result;
		pthread_join(threads[i], &result);
		assert(result == &destroyed[i] && destroyed[i] == 1);
	}
	pthread_key_delete(first);
	return 0;
}
