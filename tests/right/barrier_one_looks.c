/* Some look who is the one, others do not, and not every time. The one is always one of those who have met this time:
 * LOOKING threads look, OTHERS do not, and before that they meet SKIPPED times without looking. */
#include <assert.h>
#include <pthread.h>

#ifndef LOOKING
#define LOOKING 2
#endif
#ifndef OTHERS
#define OTHERS 0
#endif
#ifndef SKIPPED
#define SKIPPED 3
#endif
#define ROUNDS 2

static pthread_barrier_t barrier;
static int ones[ROUNDS][LOOKING];

static void skip(void)
{
	for (int i = 0; i < SKIPPED; i++)
		pthread_barrier_wait(&barrier);
}

static void *look(void *number)
{
	for (int round = 0; round < ROUNDS; round++) {
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			ones[round][(long)number] = 1;
		skip();
	}
	return NULL;
}

static void *pass(void *unused)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		skip();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[LOOKING + OTHERS];

	pthread_barrier_init(&barrier, NULL, LOOKING + OTHERS);
	for (long i = 0; i < LOOKING + OTHERS; i++)
		pthread_create(&threads[i], NULL, i < OTHERS ? pass : look, (void *)(i - OTHERS));
	for (int i = 0; i < LOOKING + OTHERS; i++)
		pthread_join(threads[i], NULL);
	for (int round = 0; round < ROUNDS; round++) {
		int sum = 0;

		for (int i = 0; i < LOOKING; i++)
			sum += ones[round][i];
		assert(OTHERS ? sum <= 1 : sum == 1);
	}
	return 0;
}
