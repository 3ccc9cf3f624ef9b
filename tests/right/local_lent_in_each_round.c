/* Each round of a loop has its own local, which it lends to a thread and gets back. */
#include <assert.h>
#include <pthread.h>

static void *increment(void *number)
{
	++*(int *)number;
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		int number = i;

		pthread_create(&thread, NULL, increment, &number);
		pthread_join(thread, NULL);
		assert(number == i + 1);
	}
	return 0;
}
