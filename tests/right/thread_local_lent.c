/* A thread-local variable can be lent to another thread as long as its own lives. */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine;

static void *add(void *variable)
{
	*(int *)variable += 1;
	return NULL;
}

static void *lend(void *unused)
{
	pthread_t thread;

	mine = 3;
	pthread_create(&thread, NULL, add, &mine);
	pthread_join(thread, NULL);
	assert(mine == 4);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, lend, NULL);
	add(&mine);
	pthread_join(thread, NULL);
	assert(mine == 1);
	return 0;
}
