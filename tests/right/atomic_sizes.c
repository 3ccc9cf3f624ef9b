/* Atomics of 1, 2, 4 and 8 bytes: two orders of the increments for each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint8_t one = 255;
static _Atomic uint16_t two = 65535;
static _Atomic uint32_t four = 4294967295u;
static _Atomic uint64_t eight = 18446744073709551615u;

static void *increment(void *unused)
{
	atomic_fetch_add(&one, 1);
	atomic_fetch_add(&two, 1);
	atomic_fetch_add(&four, 1);
	atomic_fetch_add(&eight, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, increment, NULL);
	pthread_create(&b, NULL, increment, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(one == 1 && two == 1 && four == 1 && eight == 1);
	return 0;
}
