/* The bad case calls abort. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int seats = 1;

static void *sit(void *unused)
{
	if (atomic_fetch_sub(&seats, 1) <= 0)
		abort(); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sit, NULL);
	pthread_create(&b, NULL, sit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
