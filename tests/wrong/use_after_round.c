/* Each round of a loop lends its local to a thread, and does not wait until the thread is done. */
#include <pthread.h>

static void *increment(void *number)
{
	++*(int *)number; //~ ERROR[use-after-free]
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		int number = i;

		pthread_create(&thread, NULL, increment, &number);
	}
	return 0;
}
