/* Nobody has locked it. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	pthread_mutex_unlock(&lock); //~ ERROR[unlock-not-owned]
	return 0;
}
