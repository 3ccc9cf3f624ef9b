/*
 * The load-buffering families of [XMM], appendix B.4, with N threads:
 *   LBn        a ring: each thread loads from its predecessor's location and stores 1 to its own   2^N - 1 -> 2^N
 *   -DDATA     all threads but the first store what they loaded                                    2^N - 1 -> 2^N
 *   -DCTRL     all threads but the first store only if they loaded 1                               N -> N + 1
 *   -DPAIRS    N / 2 pairs, each a load-buffering test of its own                                  3^(N/2) -> 4^(N/2)
 * Executions under RC11 and under XMM.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int location[N];

static void *run(void *argument)
{
	int own = (int)(long)argument;
#ifdef PAIRS
	int other = own ^ 1;
#else
	int other = (own + N - 1) % N;
#endif
	int value = atomic_load_explicit(&location[other], memory_order_relaxed);

#if defined(DATA)
	atomic_store_explicit(&location[own], own == 0 ? 1 : value, memory_order_relaxed);
#elif defined(CTRL)
	if (own == 0 || value == 1)
		atomic_store_explicit(&location[own], 1, memory_order_relaxed);
#else
	atomic_store_explicit(&location[own], 1, memory_order_relaxed);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (long i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
