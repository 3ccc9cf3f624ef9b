/* Of N waiters, k have begun to wait before the broadcast, in any order; after it, all N critical sections come in any
 * order: N! * sum over k of N!/(N-k)!, that is 2 * (1 + 2 + 2) = 10 and 6 * (1 + 3 + 6 + 6) = 96. */
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *pass(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, pass, NULL);
	pthread_mutex_lock(&lock);
	is_open = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
