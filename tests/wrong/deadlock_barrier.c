/* The barrier waits for one thread more than there are. */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *run(void *unused)
{
	pthread_barrier_wait(&barrier); //~ ERROR[deadlock]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL); //~ ALSO
	pthread_join(b, NULL);
	return 0;
}
