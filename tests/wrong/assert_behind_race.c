/* The race is met first; who asks for assertions alone is told of the assertion. */
#include <assert.h>
#include <pthread.h>

static int x, seen;

static void *write(void *unused)
{
	x = 1;
	return NULL;
}

static void *read(void *unused)
{
	seen = x;
	return NULL;
}

int main(void)
{
	pthread_t writer, reader;

	pthread_create(&writer, NULL, write, NULL);
	pthread_create(&reader, NULL, read, NULL);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	assert(seen == 0); //~ ERROR[assertion]
	return 0;
}
