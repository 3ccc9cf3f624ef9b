/* Structs with padding are copied, passed and returned by value. Nobody reads the padding. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct record {
	char tag;
	long numbers[3];
};

static struct record shared;
static atomic_int ready;

static struct record make(char tag, long first)
{
	struct record record = {.tag = tag};

	for (int i = 0; i < 3; i++)
		record.numbers[i] = first + i;
	return record;
}

static long sum(struct record record)
{
	return record.numbers[0] + record.numbers[1] + record.numbers[2];
}

static void *write(void *unused)
{
	shared = make('r', 10);
	atomic_store_explicit(&ready, 1, memory_order_release);
	return NULL;
}

static void *read(void *unused)
{
	if (atomic_load_explicit(&ready, memory_order_acquire))
		assert(shared.tag == 'r' && sum(shared) == 33);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, write, NULL);
	pthread_create(&b, NULL, read, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
