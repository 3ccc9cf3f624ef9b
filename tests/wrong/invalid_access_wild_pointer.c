/* A number that never was an address. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *run(void *number)
{
	printf("%d\n", *(int *)number); //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, (void *)(uintptr_t)0xdeadbeef);
	pthread_join(thread, NULL);
	return 0;
}
