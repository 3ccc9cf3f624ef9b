/* Structs with an atomic member are copied as plain bytes, by memcpy and by assignment, when no thread is left. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct pair {
	atomic_int first;
	int second;
};

static struct pair from, to;

static void *store(void *unused)
{
	atomic_store(&from.first, 1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct pair local;

	pthread_create(&thread, NULL, store, NULL);
	pthread_join(thread, NULL);
	memcpy(&to, &from, sizeof from);
	assert(to.first == 1);
	memset(&local, 0, sizeof local);
	local = to;
	assert(local.first == 1 && local.second == 0);
	return 0;
}
