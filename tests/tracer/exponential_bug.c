/*
 * exponential_bug(N): a thread writes y N times in each of two critical sections, another one counts y up when it sees x
 * outside of one, and a third looks for 3.
 *
 * From [Tracer], table 5, which prints three less for every N: 15601, 22841, 32313. Brute force agrees with these counts.
 */
#include "tracer.h"

#ifndef N
#define N 6
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;

static void *write_both(void *arg)
{
	(void)arg;
	for (int round = 0; round < 2; round++) {
		pthread_mutex_lock(&lock);
		store(&x, 1);
		for (int i = 0; i < N; i++)
			store(&y, 1);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *count_up(void *arg)
{
	(void)arg;
	for (int round = 0; round < 2; round++) {
		pthread_mutex_lock(&lock);
		store(&x, 0);
		pthread_mutex_unlock(&lock);
		if (load(&x) > 0) {
			store(&y, load(&y) + 1);
			store(&x, 2);
		}
	}
	return NULL;
}

static void *look(void *arg)
{
	(void)arg;
	for (int round = 0; round < 2; round++) {
		if (load(&x) <= 1)
			continue;
		if (load(&y) == 3)
			return NULL;
		store(&y, 2);
	}
	return NULL;
}

int main(void)
{
	pthread_t first[1], second[1], third[1];

	start(first, 1, write_both);
	start(second, 1, count_up);
	start(third, 1, look);
	join(first, 1);
	join(second, 1);
	join(third, 1);
	return 0;
}
