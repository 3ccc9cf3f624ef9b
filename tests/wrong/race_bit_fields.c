/* Neighbouring bit-fields are one memory location. */
#include <pthread.h>

static struct {
	unsigned low : 4;
	unsigned high : 4;
} bits;

static void *set_low(void *unused)
{
	bits.low = 1; //~ ERROR[data-race]
	return NULL;
}

static void *set_high(void *unused)
{
	bits.high = 2; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, set_low, NULL);
	pthread_create(&b, NULL, set_high, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
