/* Dekker's entry with sequentially consistent accesses: at most one gets in. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left_wants, right_wants;
static int inside;

static void *left(void *unused)
{
	atomic_store(&left_wants, 1);
	if (!atomic_load(&right_wants))
		inside = 1; //~ ERROR[data-race]
	return NULL;
}

static void *right(void *unused)
{
	atomic_store(&right_wants, 1);
	if (!atomic_load(&left_wants))
		inside = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
