/* The index is out of bounds, and where it lands there is another global. */
#include <pthread.h>

static int first[4], second[4];

static void *run(void *unused)
{
	for (int i = 0; i < 5; i++)
		first[i] = i; //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	second[0] = 1;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return second[0] - 1;
}
