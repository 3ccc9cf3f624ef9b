/* condition_loop with C11's names: 2 executions. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t sent;
static int ready;

static int receive(void *unused)
{
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&sent, &lock);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t thread;

	mtx_init(&lock, mtx_plain);
	cnd_init(&sent);
	thrd_create(&thread, receive, NULL);
	mtx_lock(&lock);
	ready = 1;
	cnd_signal(&sent);
	mtx_unlock(&lock);
	thrd_join(thread, NULL);
	cnd_destroy(&sent);
	return 0;
}
