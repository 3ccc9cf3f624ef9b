/* Of two threads that run the same function, one is joined before the data is looked at, and it may be the wrong one. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int winners;
static int data;

static void *compete(void *unused)
{
	if (atomic_fetch_add_explicit(&winners, 1, memory_order_relaxed) == 0)
		data = 1; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int seen;

	pthread_create(&a, NULL, compete, NULL);
	pthread_create(&b, NULL, compete, NULL);
	pthread_join(a, NULL);
	seen = data; //~ ERROR[data-race]
	pthread_join(b, NULL);
	return seen - 1;
}
