/* An unknown number is 0, 1, or has all bits set: some of many, so that the verdict is bounded. A bit has no others. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <threadbare.h>

static int chosen;

static void *choose(void *unused)
{
#ifdef BIT
	chosen = __VERIFIER_nondet_bool();
#else
	chosen = __VERIFIER_nondet_int();
#endif
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, choose, NULL);
	pthread_join(thread, NULL);
	assert(chosen == 0 || chosen == 1 || chosen == -1);
#ifdef UNSIGNED
	unsigned char small = __VERIFIER_nondet_uchar();
	unsigned long large = __VERIFIER_nondet_ulong();

	assert(small <= 1 || small == UCHAR_MAX);
	assert(large <= 1 || large == ULONG_MAX);
#endif
	return 0;
}
