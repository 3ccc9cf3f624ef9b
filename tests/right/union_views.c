/* A word written by main and read byte by byte by a thread: different sizes, no race. */
#include <assert.h>
#include <pthread.h>

static union {
	unsigned word;
	unsigned char bytes[4];
} u;

static void *rotate(void *unused)
{
	unsigned char first = u.bytes[0];

	for (int i = 0; i < 3; i++)
		u.bytes[i] = u.bytes[i + 1];
	u.bytes[3] = first;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	u.word = 0x04030201;
	pthread_create(&thread, NULL, rotate, NULL);
	pthread_join(thread, NULL);
	assert(u.word == 0x01040302);
	return 0;
}
