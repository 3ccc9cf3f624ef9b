/* The serial thread writes for all threads, which read without waiting for it. */
#include <pthread.h>

static pthread_barrier_t barrier;
static int total;

static void *run(void *unused)
{
	if (pthread_barrier_wait(&barrier))
		total = 1; //~ ERROR[data-race]
	return total ? NULL : (void *)1; //~ ALSO
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
