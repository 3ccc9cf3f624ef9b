/*
 * [RCMC] remark 1: the plain read can read from one write only, and still races with it, because reading with
 * relaxed gives no happens-before.
 */
#include <pthread.h>
#include <stdio.h>

static int x;

static void *writer(void *unused)
{
	__atomic_store_n(&x, 1, __ATOMIC_RELAXED); //~ ERROR[data-race]
	return NULL;
}

static void *reader(void *unused)
{
	if (__atomic_load_n(&x, __ATOMIC_RELAXED))
		printf("%d\n", x); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
