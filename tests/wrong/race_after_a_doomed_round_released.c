/*
 * The second of two loads in a round races with a plain write, the first one does not: what is between them orders it
 * before the write. So the second one must not be left out, although the round is in vain from there on.
 * -DMUTEX: the first one is made with a mutex; otherwise a compare-exchange releases it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int turn, sight;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int look(void)
{
	return atomic_load_explicit(&sight, memory_order_relaxed);
}

static void look_again(void)
{
	atomic_load_explicit(&sight, memory_order_relaxed); //~ ERROR[data-race]
}

static void overwrite(void)
{
	*(int *)&sight = 2; //~ ALSO
}

#ifdef MUTEX
static void *looks(void *unused)
{
	int seen;

	for (;;) {
		pthread_mutex_lock(&mutex);
		seen = look();
		pthread_mutex_unlock(&mutex);
		if (seen == 1)
			return NULL;
		look_again();
	}
}

static void *writes(void *unused)
{
	pthread_mutex_lock(&mutex);
	overwrite();
	pthread_mutex_unlock(&mutex);
	return NULL;
}
#else
static void *looks(void *unused)
{
	for (;;) {
		int old = 0;

		look();
		if (atomic_compare_exchange_strong_explicit(&turn, &old, 1, memory_order_acq_rel, memory_order_relaxed))
			for (;;)
				look_again();
	}
	return NULL;
}

static void *writes(void *unused)
{
	if (atomic_load_explicit(&turn, memory_order_acquire) == 1)
		overwrite();
	return NULL;
}
#endif

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, looks, NULL);
	pthread_create(&threads[1], NULL, writes, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
