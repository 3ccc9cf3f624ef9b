/*
 * scgather(N): scatter and gather. A question is given to N workers; the answers come back under a mutex, and who asked
 * takes the mutex again and again to see whether all are there.
 * The check changes nothing but the mutex, which it gives back: the shape of section VI of [SAVER], after its benchmark
 * of this name. Such rounds are not cut yet, and there is no bound to them but `--unroll`.
 * -DBUG: the question is scattered without release.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef BUG
#define SCATTER memory_order_relaxed
#else
#define SCATTER memory_order_release
#endif

static atomic_int asked;
static int question;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int answers, sum;

static void *worker(void *unused)
{
	int mine;

	while (!atomic_load_explicit(&asked, memory_order_acquire))
		;
	mine = question + 1; //~ ERROR[data-race]
	pthread_mutex_lock(&mutex);
	sum += mine;
	answers++;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int check(void)
{
	int all;

	pthread_mutex_lock(&mutex);
	all = answers == N;
	pthread_mutex_unlock(&mutex);
	return all;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	question = 41; //~ ALSO
	atomic_store_explicit(&asked, 1, SCATTER);
	while (!check())
		;
	assert(sum == 42 * N);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
