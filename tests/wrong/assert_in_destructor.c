/* A destructor runs after main and finds what the thread, which nobody waits for, has done. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *run(void *unused)
{
	atomic_store(&done, 1);
	return NULL;
}

__attribute__((destructor)) static void check(void)
{
	assert(atomic_load(&done)); //~ ERROR[assertion]
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_detach(thread);
	return 0;
}
