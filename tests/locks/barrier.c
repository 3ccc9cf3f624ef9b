/*
 * barrier(N): N threads wait for each other, ROUNDS times. The last to arrive turns the sense that the others watch.
 * The centralised sense-reversing barrier: Hensgen, Finkel and Manber, IJPP 1988; Mellor-Crummey and Scott, TOCS 1991.
 * -DBUG: arriving releases, but does not acquire, and who arrives last has not seen what the others did.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifdef BUG
#define ARRIVE memory_order_release
#else
#define ARRIVE memory_order_acq_rel
#endif

static atomic_int missing = N;
static atomic_int sense;
static int done[ROUNDS][N];

static void wait_for_all(int *my_sense)
{
	*my_sense = !*my_sense;
	if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
		atomic_store_explicit(&missing, N, memory_order_relaxed);
		atomic_store_explicit(&sense, *my_sense, memory_order_release);
	} else {
		while (atomic_load_explicit(&sense, memory_order_acquire) != *my_sense)
			;
	}
}

static void *work(void *number)
{
	int me = (int *)number - done[0];
	int my_sense = 0;

	for (int round = 0; round < ROUNDS; round++) {
		done[round][me] = 1; //~ ERROR[data-race]
		wait_for_all(&my_sense);
		assert(done[round][(me + 1) % N]); //~ ALSO
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, &done[0][i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
