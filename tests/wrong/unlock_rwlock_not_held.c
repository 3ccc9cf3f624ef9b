/* Nobody holds it. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
	pthread_rwlock_unlock(&lock); //~ ERROR[unlock-not-owned]
	return 0;
}
