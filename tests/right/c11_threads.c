/* C11's threads, a mutex, something that is done once, a thread-specific value. Who initialises and who takes the mutex
 * first are independent: 2 * 2 executions. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static once_flag once = ONCE_FLAG_INIT;
static tss_t own;
static thrd_t main_thread;
static int initialised, counter;

static void initialise(void)
{
	initialised++;
}

static int count(void *value)
{
	call_once(&once, initialise);
	assert(initialised == 1);
	assert(tss_get(own) == NULL);
	tss_set(own, value);
	assert(mtx_lock(&lock) == thrd_success);
	counter++;
	assert(mtx_unlock(&lock) == thrd_success);
	assert(tss_get(own) == value);
	thrd_yield();
	if (value == &counter)
		thrd_exit(7);
	assert(!thrd_equal(thrd_current(), main_thread));
	return 8;
}

int main(void)
{
	thrd_t first, second;
	int result;

	assert(mtx_init(&lock, mtx_plain) == thrd_success);
	assert(tss_create(&own, NULL) == thrd_success);
	main_thread = thrd_current();
	assert(thrd_create(&first, count, &counter) == thrd_success);
	assert(thrd_create(&second, count, &own) == thrd_success);
	assert(thrd_join(first, &result) == thrd_success && result == 7);
	assert(thrd_join(second, &result) == thrd_success && result == 8);
	assert(counter == 2);
	mtx_destroy(&lock);
	tss_delete(own);
	return 0;
}
