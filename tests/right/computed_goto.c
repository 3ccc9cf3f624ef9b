/* Threads that run a small program through a table of labels. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LOCK, COUNT, UNLOCK, STOP };

static const unsigned char program[] = {LOCK, COUNT, UNLOCK, COUNT, STOP};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *interpret(void *unused)
{
	static void *const labels[] = {&&lock, &&count, &&unlock, &&stop};
	const unsigned char *at = program;

	goto *labels[*at];
lock:
	pthread_mutex_lock(&mutex);
	goto *labels[*++at];
count:
	counter++; //~ ERROR[data-race]
	goto *labels[*++at];
unlock:
	pthread_mutex_unlock(&mutex);
#ifndef BUG
	at++;
#endif
	goto *labels[*++at];
stop:
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, interpret, NULL);
	pthread_create(&b, NULL, interpret, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
	return 0;
}
