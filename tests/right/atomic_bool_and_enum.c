/* Atomics of _Bool and of an enumeration. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum colour { RED = -1, GREEN, BLUE };

static atomic_bool painted;
static _Atomic enum colour colour = GREEN;

static void *paint(void *unused)
{
	atomic_store(&colour, RED);
	atomic_store(&painted, true);
	return NULL;
}

static void *look(void *unused)
{
	if (atomic_exchange(&painted, false))
		assert(atomic_load(&colour) == RED);
	else
		assert(atomic_load(&colour) <= GREEN);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, paint, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
