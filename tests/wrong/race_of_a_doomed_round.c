/*
 * A round that finds no flag looks at something else before it starts again. That is in vain, and so such a round need not be
 * run to its end; but what it looks at is written plainly meanwhile.
 * -DHIDDEN: by way of a pointer. -DTWICE: the round has looked at it before it looked for the flag, too.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag, sight;

#ifdef HIDDEN
static int *where = (int *)&sight;
#else
#define where ((int *)&sight)
#endif

static void look(void)
{
	atomic_load_explicit(&sight, memory_order_relaxed); //~ ERROR[data-race]
}

static void *looks(void *unused)
{
	for (;;) {
#ifdef TWICE
		look();
#endif
		if (atomic_load_explicit(&flag, memory_order_acquire))
			return NULL;
		look();
	}
}

static void *writes(void *unused)
{
	*where = 1; //~ ALSO
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, looks, NULL);
	pthread_create(&threads[1], NULL, writes, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
