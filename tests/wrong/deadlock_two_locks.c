/* Two mutexes taken in opposite orders. */
#include <pthread.h>

static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;

static void *a_then_b(void *unused)
{
	pthread_mutex_lock(&a_lock);
	pthread_mutex_lock(&b_lock); //~ ERROR[deadlock]
	pthread_mutex_unlock(&b_lock);
	pthread_mutex_unlock(&a_lock);
	return NULL;
}

static void *b_then_a(void *unused)
{
	pthread_mutex_lock(&b_lock);
	pthread_mutex_lock(&a_lock); //~ ALSO
	pthread_mutex_unlock(&a_lock);
	pthread_mutex_unlock(&b_lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, a_then_b, NULL);
	pthread_create(&b, NULL, b_then_a, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
