/* Every thread has its own copy, with its initial value. */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine = 10;

static void bump(void)
{
	mine++;
}

static void *run(void *unused)
{
	for (int i = 0; i < 3; i++)
		bump();
	assert(mine == 13);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(mine == 10);
	return 0;
}
