/* memset, memcpy and memmove over memory that is handed over and back. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char buffer[16];

static void *shift(void *unused)
{
	memmove(buffer + 2, buffer, 8);
	memset(buffer, '-', 2);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	char copy[16];

	memcpy(buffer, "abcdefg", 8);
	pthread_create(&thread, NULL, shift, NULL);
	pthread_join(thread, NULL);
	memcpy(copy, buffer, sizeof copy);
	assert(strcmp(copy, "--abcdefg") == 0);
	return 0;
}
