/* A bit-field of width zero makes two memory locations. */
#include <assert.h>
#include <pthread.h>

static struct {
	unsigned left : 8;
	unsigned : 0;
	unsigned right : 8;
} s;

static void *set_left(void *unused)
{
	s.left = 1;
	return NULL;
}

static void *set_right(void *unused)
{
	s.right = 2;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, set_left, NULL);
	pthread_create(&b, NULL, set_right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(s.left == 1 && s.right == 2);
	return 0;
}
