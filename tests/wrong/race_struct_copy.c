/* Copying a struct reads all of its fields. */
#include <pthread.h>

struct point {
	int x, y, z;
};

static struct point shared;

static void *copy(void *unused)
{
	struct point mine = shared; //~ ERROR[data-race]

	(void)mine;
	return NULL;
}

static void *move(void *unused)
{
	shared.z = 1; //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, copy, NULL);
	pthread_create(&b, NULL, move, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
