/* Sums of 128 bits and vectors that threads hand over under a mutex. */
#include <assert.h>
#include <pthread.h>

typedef int four __attribute__((vector_size(16)));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned __int128 total = ~(unsigned __int128)0;
static four lanes = {1, 2, 3, 4};

static void *add(void *unused)
{
	pthread_mutex_lock(&mutex);
	total = total * 3 + 1;
	lanes = lanes * 2 + 1; //~ ALSO
#ifdef BUG
	pthread_mutex_unlock(&mutex);
	lanes[2]++; //~ ERROR[data-race]
	return NULL;
#endif
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(total == -(unsigned __int128)5);
	assert(lanes[0] == 7 && lanes[3] == 19);
	return 0;
}
