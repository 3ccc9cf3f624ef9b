// Atomic sections that conflict are ordered and synchronise: plain accesses do not race.
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

#ifndef N
#define N 2
#endif

static int x, seen[N];

static void *t(void *a)
{
	__VERIFIER_atomic_begin();
	*(int *)a = x;
	x++;
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t id[N];
	int sum = 0;
	for (int i = 0; i < N; i++)
		pthread_create(&id[i], 0, t, &seen[i]);
	for (int i = 0; i < N; i++) {
		pthread_join(id[i], 0);
		sum += seen[i];
	}
	assert(x == N && sum == N * (N - 1) / 2);
	return 0;
}
