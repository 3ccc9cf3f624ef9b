/* pthread_exit from inside a nested call. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void leave(int value)
{
	pthread_exit((void *)(intptr_t)value);
}

static void *run(void *unused)
{
	leave(42);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, &result);
	assert((intptr_t)result == 42);
	return 0;
}
