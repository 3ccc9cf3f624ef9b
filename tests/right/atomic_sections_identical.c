// Identical threads whose atomic sections conflict are explored in one order; those that only read, next to a writer, in all.
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

#define N 5

static int x;

static void *t(void *p)
{
	__VERIFIER_atomic_begin();
#ifdef READ
	assert(x == 0 || x == 1);
#else
	x++;
#endif
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t id[N];
	for (int i = 0; i < N; i++)
		pthread_create(&id[i], 0, t, 0);
#ifdef READ
	__VERIFIER_atomic_begin();
	x = 1;
	__VERIFIER_atomic_end();
#endif
	for (int i = 0; i < N; i++)
		pthread_join(id[i], 0);
#ifndef READ
	assert(x == N);
#endif
	return 0;
}
