/* What main did before the creation is seen by the thread, and the other way round after the join. */
#include <assert.h>
#include <pthread.h>

static int question, answer;

static void *think(void *unused)
{
	answer = 2 * question;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	question = 21;
	pthread_create(&thread, NULL, think, NULL);
	pthread_join(thread, NULL);
	question = 0;
	assert(answer == 42);
	return 0;
}
