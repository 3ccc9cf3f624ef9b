/* The __sync builtins of old code. */
#include <assert.h>
#include <pthread.h>

static int counter, winners;

static void *count(void *unused)
{
	if (__sync_bool_compare_and_swap(&counter, 0, 1))
		__sync_add_and_fetch(&winners, 1);
	__sync_synchronize();
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 1 && winners == 1);
	return 0;
}
