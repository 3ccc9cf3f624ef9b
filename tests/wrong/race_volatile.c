/* volatile is not atomic. */
#include <pthread.h>

static volatile int stop;

static void *ask(void *unused)
{
	stop = 1; //~ ERROR[data-race]
	return NULL;
}

static void *obey(void *unused)
{
	return stop ? NULL : unused; //~ ALSO
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, ask, NULL);
	pthread_create(&b, NULL, obey, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
