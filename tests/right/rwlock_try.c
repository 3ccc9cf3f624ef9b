/* Whoever comes second finds the lock free again or taken: 2 * 2 executions. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *look(void *unused)
{
	int error = pthread_rwlock_tryrdlock(&lock);

	assert(error == 0 || error == EBUSY);
	if (!error) {
		assert(x == y);
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

static void *change(void *unused)
{
	if (pthread_rwlock_trywrlock(&lock) == 0) {
		x++;
		y++;
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, look, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
