/* The result of the thread is an object; the thread is joined, and nothing takes its result. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
	return malloc(4); //~ ERROR[leak]
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
#ifdef TAKEN
	void *result;

	pthread_join(thread, &result);
	free(result);
#elif defined NOT_JOINED
	return 0;
#else
	pthread_join(thread, NULL);
#endif
	return 0;
}
