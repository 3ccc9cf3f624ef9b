/* A static local is shared by all threads that call the function. */
#include <pthread.h>

static int next_id(void)
{
	static int last;

	return ++last; //~ ERROR[data-race]
}

static void *run(void *unused)
{
	return next_id() ? NULL : unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
