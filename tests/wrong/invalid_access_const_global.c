/* Casting const away does not make the object writable. */
#include <pthread.h>

static const int limit = 10;

static void *raise_limit(void *unused)
{
	*(int *)&limit = 20; //~ ERROR[invalid-access]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, raise_limit, NULL);
	pthread_join(thread, NULL);
	return limit - 10;
}
