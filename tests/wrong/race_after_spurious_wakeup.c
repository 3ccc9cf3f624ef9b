/*
 * After a wake-up without reason the waiter reads x plainly and waits again. When it has left the loop it tells the other
 * thread by a relaxed store, and that one writes x plainly. The last round of the loop does not read x.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef TELL
#define TELL memory_order_relaxed
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, x;
static atomic_int go;

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!ready) {
		pthread_cond_wait(&condition, &mutex);
		if (!ready)
			(void)*(volatile int *)&x; //~ ERROR[data-race]
	}
	pthread_mutex_unlock(&mutex);
	atomic_store_explicit(&go, 1, TELL);
	return NULL;
}

static void *writes(void *unused)
{
	if (atomic_load_explicit(&go, memory_order_acquire))
		x = 1; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
