/* A struct of 8 bytes, read and written as one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct range {
	int low, high;
};

static _Atomic struct range range;

static void *move(void *unused)
{
	atomic_store(&range, ((struct range){10, 20}));
	return NULL;
}

static void *check(void *unused)
{
	struct range seen = atomic_load(&range);

	assert(seen.high == 2 * seen.low);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, move, NULL);
	pthread_create(&b, NULL, check, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
