/* A thread acts on the message that it finds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum message { NOTHING, ADD, DOUBLE, RESET };

static _Atomic enum message mailbox;

static void *post(void *unused)
{
	for (enum message m = ADD; m <= RESET; m++)
		atomic_store_explicit(&mailbox, m, memory_order_relaxed);
	return NULL;
}

static void *act(void *unused)
{
	int x = 5;

	switch (atomic_load_explicit(&mailbox, memory_order_relaxed)) {
	case NOTHING:
		break;
	case ADD:
		x += 1;
		break;
	case DOUBLE:
		x *= 2;
		/* fall through */
	case RESET:
		x = 0;
		break;
	default:
		assert(0);
	}
	assert(x == 5 || x == 6 || x == 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, post, NULL);
	pthread_create(&b, NULL, act, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
