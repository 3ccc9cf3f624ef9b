/* Sections that commute, and then two mutexes in two orders. */
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int value;

static int look_up(void)
{
	int found;

	pthread_mutex_lock(&one);
	found = value;
	pthread_mutex_unlock(&one);
	return found;
}

static void *forth(void *unused)
{
	look_up();
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&two); //~ ERROR[deadlock]
	pthread_mutex_unlock(&two);
	pthread_mutex_unlock(&one);
	return NULL;
}

static void *back(void *unused)
{
	look_up();
	pthread_mutex_lock(&two);
	pthread_mutex_lock(&one); //~ ALSO
	pthread_mutex_unlock(&one);
	pthread_mutex_unlock(&two);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
