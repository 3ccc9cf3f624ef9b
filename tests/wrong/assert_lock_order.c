/* A mutex excludes, it does not say who is first. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	last = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	last = 2;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(last == 2); //~ ERROR[assertion]
	return 0;
}
