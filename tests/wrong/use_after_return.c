/* A function lends its local to a thread and returns before the thread is done. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *number)
{
	printf("%d\n", *(int *)number); //~ ERROR[use-after-free]
	return NULL;
}

static pthread_t start(void)
{
	pthread_t thread;
	int number = 42;

	pthread_create(&thread, NULL, print, &number);
	return thread;
}

int main(void)
{
	pthread_t thread = start();

	pthread_join(thread, NULL);
	return 0;
}
