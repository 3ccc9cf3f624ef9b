/* One thread has the bit-fields, the other one the neighbour that is no bit-field. */
#include <assert.h>
#include <pthread.h>

static struct {
	unsigned low : 4;
	unsigned high : 4;
	unsigned char whole;
} s;

static void *bits(void *unused)
{
	s.low = 5;
	s.high = 9;
	return NULL;
}

static void *byte(void *unused)
{
	s.whole = 7;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, bits, NULL);
	pthread_create(&b, NULL, byte, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(s.low == 5 && s.high == 9 && s.whole == 7);
	return 0;
}
