/* Two threads wait for each other; that a third one may end the program before anybody notices does not mend it. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER, y = PTHREAD_MUTEX_INITIALIZER;

static void *x_then_y(void *unused)
{
	pthread_mutex_lock(&x);
	pthread_mutex_lock(&y); //~ ERROR[deadlock]
	pthread_mutex_unlock(&y);
	pthread_mutex_unlock(&x);
	return NULL;
}

static void *y_then_x(void *unused)
{
	pthread_mutex_lock(&y);
	pthread_mutex_lock(&x); //~ ALSO
	pthread_mutex_unlock(&x);
	pthread_mutex_unlock(&y);
	return NULL;
}

static void *exits(void *unused)
{
	exit(0);
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, x_then_y, NULL);
	pthread_create(&b, NULL, y_then_x, NULL);
	pthread_create(&c, NULL, exits, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
