/*
 * The rounds that wait for a condition read plainly what another thread stores later. A wait may end for no
 * reason, and after that the round is made again; the lock orders the rounds before what follows the loop, but the flag that
 * tells the other thread is relaxed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done, is_waiting;
static atomic_int left;
static atomic_int x;

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	is_waiting = 1;
	while (!done) {
		(void)*(volatile int *)&x; //~ ERROR[data-race]
		pthread_cond_wait(&condition, &mutex);
	}
	pthread_mutex_unlock(&mutex);
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

static void *follows(void *unused)
{
	int waits;

	pthread_mutex_lock(&mutex);
	waits = is_waiting;
	pthread_mutex_unlock(&mutex);
	if (!waits)
		return NULL;
	while (!atomic_load_explicit(&left, memory_order_relaxed))
		;
	atomic_store_explicit(&x, 1, memory_order_relaxed); //~ ALSO
	return NULL;
}

static void *wakes(void *unused)
{
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, follows, NULL);
	pthread_create(&c, NULL, wakes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
