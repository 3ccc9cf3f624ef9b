/* A running maximum: a compare-exchange loop that can fail once at most. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int maximum;
static int values[2] = {1, 2};

static void *offer(void *arg)
{
	int value = *(int *)arg;
	int seen = atomic_load(&maximum);

	while (seen < value && !atomic_compare_exchange_strong(&maximum, &seen, value))
		;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, offer, &values[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(maximum == 2);
	return 0;
}
