/*
 * A thread that looks for a request in an array, under a mutex, and stops looking at the first one: the rounds read
 * different numbers of elements.
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int requests[N];

static void *asks(void *unused)
{
	pthread_mutex_lock(&mutex);
	requests[N - 1] = 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int find(void)
{
	int found = -1;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < N; i++)
		if (requests[i]) {
			found = i;
			break;
		}
	pthread_mutex_unlock(&mutex);
	return found;
}

int main(void)
{
	pthread_t thread;
	int found;

	pthread_create(&thread, NULL, asks, NULL);
	while ((found = find()) < 0)
		;
	assert(found == N - 1);
	pthread_join(thread, NULL);
	return 0;
}
