/* Each thread swaps its own buffer for the spare one: nobody ends up with the same. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int buffers[3];
static int *_Atomic spare = &buffers[2];

static void *swap(void *mine)
{
	int *other = atomic_exchange(&spare, mine);

	*other += 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, swap, &buffers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(*atomic_load(&spare) == 0);
	assert(buffers[0] + buffers[1] + buffers[2] == 2);
	return 0;
}
