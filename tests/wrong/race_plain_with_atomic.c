/* One side is atomic, the other is not. */
#include <pthread.h>
#include <stdio.h>

static int x;

static void *writer(void *unused)
{
	__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); //~ ERROR[data-race]
	return NULL;
}

static void *reader(void *unused)
{
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
