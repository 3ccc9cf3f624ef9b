/* A ring buffer whose indices are volatile: the writer waits as long as the next place is the reader's. */
#include <pthread.h>
#include <stddef.h>

struct ring {
	volatile long reader, writer;
};

static void *reads(void *argument)
{
	struct ring *ring = argument;

	ring->reader = 1; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct ring ring = { 0, 3 };

	pthread_create(&thread, NULL, reads, &ring);
	while ((ring.writer + 1) % 4 == ring.reader) //~ ALSO
		;
	pthread_join(thread, NULL);
	return 0;
}
