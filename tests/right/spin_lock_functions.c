/* Three critical sections in any order: 6 executions, and nobody is seen to spin. */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *count(void *unused)
{
	pthread_spin_lock(&lock);
	counter++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 3);
	pthread_spin_destroy(&lock);
	return 0;
}
