/* Whoever takes the pointer out owns the object, and frees it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic parcel;

static void *take(void *unused)
{
	int *mine = atomic_exchange_explicit(&parcel, NULL, memory_order_acq_rel);

	if (mine) {
		*mine += 1;
		free(mine);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int *object = malloc(sizeof *object);

	*object = 41;
	atomic_init(&parcel, object);
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
