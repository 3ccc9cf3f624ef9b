/* Main looks at the result before it has joined the thread. */
#include <pthread.h>
#include <stdio.h>

static int result;

static void *compute(void *unused)
{
	result = 42; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, compute, NULL);
	printf("%d\n", result); //~ ERROR[data-race]
	pthread_join(thread, NULL);
	return 0;
}
