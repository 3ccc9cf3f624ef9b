// Atomic sections that do not conflict are not ordered.
#include <pthread.h>
#include <threadbare.h>

static int v[6];

static void *t(void *a)
{
	int *p = a;
	__VERIFIER_atomic_begin();
	*p += 1;
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t id[6];
	for (int i = 0; i < 6; i++)
		pthread_create(&id[i], 0, t, &v[i]);
	for (int i = 0; i < 6; i++)
		pthread_join(id[i], 0);
	return 0;
}
