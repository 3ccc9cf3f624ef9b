/* The flag inside the object is initialised before the thread exists, the data later; the flag releases them. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
	int data;
	atomic_int ready;
};

static _Atomic(struct message *) shared;

static void *reader(void *unused)
{
	struct message *m = atomic_load_explicit(&shared, memory_order_relaxed);

	if (m && atomic_load_explicit(&m->ready, memory_order_acquire))
		assert(m->data == 1);
	return NULL;
}

int main(void)
{
	struct message *m = malloc(sizeof *m);
	pthread_t a;

	atomic_init(&m->ready, 0);
	pthread_create(&a, NULL, reader, NULL);
	m->data = 1;
	atomic_store_explicit(&m->ready, 1, memory_order_release);
	atomic_store_explicit(&shared, m, memory_order_relaxed);
	pthread_join(a, NULL);
	free(m);
	return 0;
}
