/* A thread waits for a flag that is volatile, or plain, but not atomic: a race, and a loop that nothing cuts. */
#include <pthread.h>
#include <stddef.h>

#ifndef QUALIFIER
#define QUALIFIER volatile
#endif

static QUALIFIER int flag;

static void *sets(void *unused)
{
	flag = 1; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sets, NULL);
	while (!flag) //~ ALSO
		;
	pthread_join(thread, NULL);
	return 0;
}
