/* A loop before the first thread is set-up: --unroll does not cut it, and the assertion behind it fails. */
#include <assert.h>
#include <pthread.h>

static int table[8];

static void *write(void *unused)
{
	table[0] = 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 8; i++)
		table[i] = 0;
	pthread_create(&thread, NULL, write, NULL);
	pthread_join(thread, NULL);
	assert(table[0] == 5); //~ ERROR[assertion]
	return 0;
}
