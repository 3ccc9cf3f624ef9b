/* Executions in which an assumption does not hold are of no interest. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int x;

static void *count(void *unused)
{
	for (int i = 1; i <= 3; i++)
		atomic_store(&x, i);
	return NULL;
}

static void *look(void *unused)
{
	int seen = atomic_load(&x);

	__VERIFIER_assume(seen > 0);
	assert(seen <= 3);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
