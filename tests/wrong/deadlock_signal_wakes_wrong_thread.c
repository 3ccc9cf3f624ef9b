/* Two threads wait for different things on one condition variable. Both signals may wake up the first one, which looks, waits
 * again and then goes on; the other one never learns that its thing is there. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int x, y;

static void *wait_for_x(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!x)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *wait_for_y(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!y)
		pthread_cond_wait(&changed, &lock); //~ ERROR[deadlock]
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait_for_x, NULL);
	pthread_create(&b, NULL, wait_for_y, NULL);
	pthread_mutex_lock(&lock);
	y = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL); //~ ALSO
	return 0;
}
