/* A thread gets the address of a local whose block ends, while its function goes on. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *number)
{
	printf("%d\n", *(int *)number); //~ ERROR[use-after-free]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	{
		int number = 42;

		pthread_create(&thread, NULL, print, &number);
	}
	pthread_join(thread, NULL);
	return 0;
}
