/* Dekker's entry with release and acquire only: under weak memory both threads get in. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left_wants, right_wants;
static int inside;

static void *left(void *unused)
{
	atomic_store_explicit(&left_wants, 1, memory_order_release);
	if (!atomic_load_explicit(&right_wants, memory_order_acquire))
		inside = 1; //~ ERROR[data-race]
	return NULL;
}

static void *right(void *unused)
{
	atomic_store_explicit(&right_wants, 1, memory_order_release);
	if (!atomic_load_explicit(&left_wants, memory_order_acquire))
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
