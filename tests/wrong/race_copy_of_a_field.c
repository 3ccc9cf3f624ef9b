/* A struct is copied while another thread writes one of its fields: plainly, or atomically, which is no better. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct data {
	int a;
	_Atomic int b;
	long c;
};

#ifdef ATOMIC
#define WRITE atomic_store_explicit(&data.b, 1, memory_order_relaxed)
#else
#define WRITE data.c = 1
#endif

static struct data data;

static void *writer(void *unused)
{
	WRITE; //~ ERROR[data-race]
	return NULL;
}

static void *copier(void *unused)
{
	struct data own;

	memcpy(&own, &data, sizeof own); //~ ALSO
	return own.a ? (void *)1 : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, copier, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
