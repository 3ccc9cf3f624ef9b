/* pthread_self is what pthread_create has told. */
#include <assert.h>
#include <pthread.h>

static pthread_t seen[2];

static void *introduce(void *place)
{
	*(pthread_t *)place = pthread_self();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, introduce, &seen[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert(pthread_equal(threads[i], seen[i]));
	}
	assert(!pthread_equal(seen[0], seen[1]));
	return 0;
}
