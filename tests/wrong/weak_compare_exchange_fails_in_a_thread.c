/* A weak compare-exchange of memory that all threads can reach may fail although it reads what is expected. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;

static void *take(void *unused)
{
	int nobody = 0;
	_Bool taken = atomic_compare_exchange_weak(&owner, &nobody, 1);

	assert(taken || nobody); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
