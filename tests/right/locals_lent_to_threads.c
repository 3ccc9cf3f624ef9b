/* A function lends its locals to threads and joins them before it returns. */
#include <assert.h>
#include <pthread.h>

struct task {
	const int *from;
	int count, sum;
};

static void *add(void *arg)
{
	struct task *task = arg;

	for (int i = 0; i < task->count; i++)
		task->sum += task->from[i];
	return NULL;
}

static int parallel_sum(void)
{
	int numbers[4] = {1, 2, 3, 4};
	struct task tasks[2] = {{numbers, 2, 0}, {numbers + 2, 2, 0}};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, &tasks[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return tasks[0].sum + tasks[1].sum;
}

int main(void)
{
	assert(parallel_sum() == 10);
	assert(parallel_sum() == 10);
	return 0;
}
