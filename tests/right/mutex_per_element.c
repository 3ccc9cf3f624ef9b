/* Threads that lock different elements do not meet. */
#include <assert.h>
#include <pthread.h>

static struct {
	pthread_mutex_t lock;
	int value;
} table[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static int indices[2] = {0, 1};

static void *run(void *arg)
{
	int i = *(int *)arg;

	pthread_mutex_lock(&table[i].lock);
	table[i].value = i + 1;
	pthread_mutex_unlock(&table[i].lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &indices[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(table[0].value + table[1].value == 3);
	return 0;
}
