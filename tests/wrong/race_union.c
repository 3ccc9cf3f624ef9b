/* The members of a union share their bytes. */
#include <pthread.h>

static union {
	unsigned word;
	unsigned char bytes[4];
} u;

static void *set_word(void *unused)
{
	u.word = 1; //~ ERROR[data-race]
	return NULL;
}

static void *set_byte(void *unused)
{
	u.bytes[2] = 1; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, set_word, NULL);
	pthread_create(&b, NULL, set_byte, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
