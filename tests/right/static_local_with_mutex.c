/* A static local, shared and protected. */
#include <assert.h>
#include <pthread.h>

static int next_id(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int last;
	int id;

	pthread_mutex_lock(&lock);
	id = ++last;
	pthread_mutex_unlock(&lock);
	return id;
}

static void *run(void *unused)
{
	assert(next_id() <= 2);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(next_id() == 3);
	return 0;
}
