/* Right on paper, wrong on every machine with a store buffer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *left(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	saw_y = atomic_load_explicit(&y, memory_order_relaxed);
	return NULL;
}

static void *right(void *unused)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	saw_x = atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(saw_x + saw_y > 0); //~ ERROR[assertion]
	return 0;
}
