/* Globals that point to each other, into arrays, to functions and to strings. */
#include <assert.h>
#include <pthread.h>

struct node {
	const char *name;
	struct node *next;
	int (*weigh)(int);
};

static int twice(int x)
{
	return 2 * x;
}

static int numbers[4] = {1, 2, [3] = 4};
static int *const last = &numbers[3];
static struct node ring[2] = {{"zero", &ring[1], twice}, {"one", &ring[0], twice}};

static void *walk(void *unused)
{
	struct node *node = &ring[0];

	for (int i = 0; i < 3; i++)
		node = node->next;
	assert(node->name[0] == 'o' && node->weigh(*last) == 8 && numbers[2] == 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, walk, NULL);
	pthread_create(&b, NULL, walk, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
