/* A seqlock whose data is plain: the version check comes after the race has happened. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int version;
static int data;

static void *writer(void *unused)
{
	atomic_store(&version, 1);
	data = 42; //~ ERROR[data-race]
	atomic_store(&version, 2);
	return NULL;
}

static void *reader(void *unused)
{
	int before = atomic_load(&version);

	if (before % 2 == 0) {
		int seen = data; //~ ALSO

		if (atomic_load(&version) == before)
			printf("%d\n", seen);
	}
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
