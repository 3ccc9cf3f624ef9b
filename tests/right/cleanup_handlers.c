/* Handlers run when they are popped with 1, and all that are left when the thread exits, the last one first. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static int order;

static void note(void *number)
{
	order = order * 10 + (int)(intptr_t)number;
}

static void leave(void)
{
	pthread_cleanup_push(note, (void *)4);
	pthread_exit((void *)7);
	pthread_cleanup_pop(0);
}

static void *work(void *unused)
{
	pthread_cleanup_push(note, (void *)1);
	pthread_cleanup_push(note, (void *)2);
	pthread_cleanup_push(note, (void *)3);
	pthread_cleanup_pop(1);
	leave();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;
	int old;

	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
	assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, &result);
	assert(result == (void *)7 && order == 3421);
	return 0;
}
