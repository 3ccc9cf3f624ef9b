/*
 * The kinds of atomic variables that published code has, in one program: a struct with padding, a pointer that advances,
 * small integers, a floating-point number, and three flags that guard a plain counter each.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct padded {
	short kind;
	int count;
};

static _Atomic struct padded padded;
static _Atomic(char *) cursor;
static char text[8];
static _Atomic short small;
static _Atomic unsigned char tiny;
static _Atomic float sum;
static atomic_bool seen;

static atomic_flag flag = ATOMIC_FLAG_INIT;
static char byte;
static int word;
static int guarded_by_flag, guarded_by_byte, guarded_by_word;

static void count(void)
{
	struct padded old = atomic_load(&padded), new;

	do {
		new = old;
		new.count++;
	} while (!atomic_compare_exchange_strong(&padded, &old, new));
}

static void *work(void *unused)
{
#ifdef VALUES
	count();
	atomic_fetch_add(&cursor, 2);
	small += 3;
	tiny++;
	sum += 1.5f;
	atomic_exchange(&seen, true);
#else
	while (atomic_flag_test_and_set(&flag))
		;
	guarded_by_flag++;
	atomic_flag_clear(&flag);
	while (__atomic_test_and_set(&byte, __ATOMIC_ACQUIRE))
		;
	guarded_by_byte++;
	__atomic_clear(&byte, __ATOMIC_RELEASE);
	while (__sync_lock_test_and_set(&word, 1))
		;
	guarded_by_word++;
	__sync_lock_release(&word);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	atomic_store(&cursor, text);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
#ifdef VALUES
	assert(atomic_load(&padded).count == 2 && cursor == text + 4);
	assert(small == 6 && tiny == 2 && sum == 3.0f && seen);
#else
	assert(guarded_by_flag == 2 && guarded_by_byte == 2 && guarded_by_word == 2);
#endif
	return 0;
}
