/* A recursive mutex, taken twice, and an error-checking one: two critical sections each, in either order: 2 * 2 executions. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t recursive, checking;
static int counter;

static void *count(void *unused)
{
	pthread_mutex_lock(&recursive);
	assert(pthread_mutex_lock(&recursive) == 0);
	counter++;
	pthread_mutex_unlock(&recursive);
	counter++;
	pthread_mutex_unlock(&recursive);
	assert(pthread_mutex_unlock(&checking) == EPERM);
	assert(pthread_mutex_lock(&checking) == 0);
	assert(pthread_mutex_lock(&checking) == EDEADLK);
	pthread_mutex_unlock(&checking);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &kind);
	pthread_mutexattr_destroy(&kind);
	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 4);
	return 0;
}
