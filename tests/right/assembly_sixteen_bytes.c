/* A stack whose head is a pointer and a counter, changed together by `cmpxchg16b`; its halves are read one by one, which the
   counter makes harmless. Without the counter a pop may take the next of an entry that is there again. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct entry {
	uint64_t next;
};

static struct entry entries[3];
static _Alignas(16) uint64_t head[2];

static uint64_t load(uint64_t *p)
{
	uint64_t value;

	asm volatile("movq %1, %0" : "=r"(value) : "m"(*p) : "memory");
	return value;
}

static bool change(uint64_t *top, uint64_t *count, uint64_t new_top)
{
	bool changed;
#ifdef BUG
	uint64_t new_count = *count;
#else
	uint64_t new_count = *count + 1;
#endif

	asm volatile("lock; cmpxchg16b %0; setz %3"
				 : "+m"(head), "+a"(*top), "+d"(*count), "=q"(changed)
				 : "b"(new_top), "c"(new_count)
				 : "memory", "cc");
	return changed;
}

static struct entry *pop(void)
{
	uint64_t count = load(&head[1]), top = load(&head[0]);
	uint64_t next;

	do {
		if (!top)
			return NULL;
		next = load(&((struct entry *)top)->next);
	} while (!change(&top, &count, next));
	return (struct entry *)top;
}

static void push(struct entry *entry)
{
	uint64_t count = load(&head[1]), top = load(&head[0]);

	do {
		asm volatile("movq %1, %0" : "=m"(entry->next) : "r"(top) : "memory");
	} while (!change(&top, &count, (uint64_t)entry));
}

static struct entry *kept, *taken;

static void *take_one(void *unused)
{
	kept = pop();
	return NULL;
}

static void *take_two_and_give_one_back(void *unused)
{
	struct entry *first = pop();

	taken = pop();
	if (first)
		push(first);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	push(&entries[0]);
	push(&entries[1]);
	pthread_create(&a, NULL, take_one, NULL);
	pthread_create(&b, NULL, take_two_and_give_one_back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	int left = 0;
	while (pop())
		left++;
	/* Each entry is in one place. */
	assert(left + !!kept + !!taken == 2); //~ ERROR[assertion]
	return 0;
}
