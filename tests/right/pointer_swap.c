/* As with RCU: the writer replaces the whole object, two readers see the old one or the new one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
	int width, height;
};

static struct config old = {1, 2};
static struct config *_Atomic current = &old;

static void *update(void *unused)
{
	struct config *new = malloc(sizeof *new);

	*new = (struct config){3, 4};
	atomic_store_explicit(&current, new, memory_order_release);
	return NULL;
}

static void *use(void *unused)
{
	struct config *config = atomic_load_explicit(&current, memory_order_acquire);

	assert(config->height == config->width + 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, update, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_create(&c, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	free(atomic_load(&current));
	return 0;
}
